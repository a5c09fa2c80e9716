/** Restoring by a button: `tower restore` into a folder of its own, while the service and its data go on as they are. */

import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { auditAct } from "../access/audit.ts";
import type { Clock } from "../base/base.ts";
import { type Config, processEnvironment } from "../base/config.ts";
import { keyPath } from "../base/keys.ts";
import type { JobEntry } from "../store/job_runs.ts";
import type { Writer } from "../store/writer.ts";
import { ownBackups } from "./backup.ts";

/** What is run under this name restores a backup that somebody chose by a button. */
export const RESTORE_JOB = "restore";

const ENDING = ".backup";
/** Older ones are there for the command. */
const MOST_LISTED = 5;

/** A backup in the data folder. */
export interface OwnBackup {
  readonly name: string;
  readonly bytes: number;
  /** The data folder that it was restored into, absolute; undefined where it was not. */
  readonly restoredInto: string | undefined;
}

/** The newest backups in the data folder, the newest first: their names begin with their moments. */
export function listOwnBackups(dataDir: string): OwnBackup[] {
  const folder = ownBackups(dataDir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING) && !name.startsWith("."));
  return names
    .sort()
    .reverse()
    .slice(0, MOST_LISTED)
    .flatMap((name) => {
      const facts = statSync(join(folder, name), { throwIfNoEntry: false });
      const into = restoredFolder(dataDir, name);
      const restoredInto = existsSync(join(into, "tower.db")) ? into : undefined;
      return facts === undefined ? [] : [{ name, bytes: facts.size, restoredInto }];
    });
}

const restoredFolder = (dataDir: string, name: string) => join(dataDir, "restored", basename(name, ENDING));

/** The command itself does it, in a process of its own: restoring blocks. */
const COMMAND = join(import.meta.dir, "..", "..", "src", "cli.ts");

/** Restores `name`, one of those that are listed. */
export function restoreRun(
  deps: { readonly config: Config; readonly clock: Clock; readonly writer: Writer },
  name: string,
  actor: string,
): JobEntry {
  const { config, clock, writer } = deps;
  return {
    name: RESTORE_JOB,
    at: "",
    recorded: false,
    work: async ({ signal }) => {
      const into = restoredFolder(config.dataDir, name);
      mkdirSync(into, { recursive: true, mode: 0o700 });
      const keyFile = config.credentialsKey === undefined ? ["--key-file", keyPath(config.dataDir)] : [];
      const child = Bun.spawn(
        [process.execPath, COMMAND, "restore", join(ownBackups(config.dataDir), name), ...keyFile],
        {
          env: { ...processEnvironment(), DATA_DIR: into },
          signal,
          stdin: "ignore",
          stdout: "ignore",
          stderr: "pipe",
        },
      );
      const said = await new Response(child.stderr).text();
      if ((await child.exited) !== 0) throw new Error(said.trim());
      await writer.writeOrDefer((tx) =>
        auditAct(tx, { actor, now: clock.now() }, "backup.restore", into, { backup: name }),
      );
    },
  };
}
