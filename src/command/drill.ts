import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type DrillDeps, type DrillResult, drill as tryBackup } from "../backup/mod.ts";
import { byteWords } from "../lib/byte_words.ts";
import { countText } from "../lib/number_text.ts";
import { onOneLine } from "../lib/one_line.ts";
import { countWords } from "../lib/plural.ts";
import { openObjectStore } from "../objects/mod.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { systemIds } from "../platform/ids.ts";
import { findKeys } from "../platform/keys.ts";
import { systemMachine } from "../platform/machine.ts";
import { towerVersion } from "../platform/version.ts";
import { madeWords, rowsText } from "./backup_words.ts";
import { type Command, commandWith, refused } from "./contract.ts";
import { givenKey } from "./key_option.ts";

/** What a drill is given: the settings, and how the service opens a data folder. */
export interface DrillNeeds {
  readonly config: Config;
  readonly open: (config: Config) => ReturnType<DrillDeps["open"]>;
}

/** `drill`: works on a temporary folder; neither the service nor its data is asked. */
export const drill: Command<DrillNeeds> = commandWith<DrillNeeds>()({
  name: "drill",
  summary: "try a backup: restore it into a temporary folder and check all of it",
  takes: ["<backup file or folder>"],
  about: [
    "Proves a backup, or the newest one of a folder: restores it into a folder that is made for it and removed again, checks everything that tower check does and that every report of the archive that it names lies whole beside it, and opens it with this release. The data folder is not touched, and reports go on.",
    "Says what was proven and how long it took. Exit code 0 when it can be restored whole, 1 when anything is wrong, which is named. It needs twice the room of the database for as long as it runs.",
  ],
  options: {
    in: { value: "<folder>", says: "where the temporary folder is made; the system's own place by itself" },
    "key-file": {
      value: "<path>",
      says: "the key of the installation that made the backup, where DATA_DIR does not hold it",
    },
    "unverified-origin": { says: "tries a file also when no key proves who made it" },
  },
  run: async ({ config, open }, { args: [path = ""], options, cwd = ".", signal }) => {
    const backup = resolve(cwd, path);
    if (!existsSync(backup)) return refused(`there is no file or folder ${backup}`);
    const scratch = resolve(cwd, options.in ?? tmpdir());
    if (!existsSync(scratch)) return refused(`there is no folder ${scratch}`);
    const given = givenKey(options["key-file"], cwd);
    if (!given.ok) return refused(given.fault);
    const own = findKeys(config);
    const started = performance.now();
    const result = await tryBackup(
      {
        clock: systemClock,
        ids: systemIds,
        machine: systemMachine,
        // Nothing of the running archive may be begun, swept or written by what is opened there.
        open: (dataDir) =>
          open({ ...config, dataDir, rawSignals: join(dataDir, "raw-signals"), s3: undefined }),
      },
      {
        path: backup,
        scratch,
        keys: given.keys ?? own,
        unverifiedOrigin: options["unverified-origin"] === true,
        archive: openObjectStore(config),
        signal,
      },
    );
    return told(result, performance.now() - started);
  },
});

function told(result: DrillResult, ms: number) {
  if (!result.ok) {
    const what = result.backup === undefined ? "" : `${result.backup}: `;
    return refused(linesOf([`the drill failed: ${what}${result.reason}`, ...result.faults]));
  }
  const { backup, restored, accounts, rows, faults } = result;
  const stdout = linesOf([
    backup,
    `as of ${madeWords(restored.madeAt)}, ${restored.origin.kind === "proven" ? "made by the installation of this key" : "ORIGIN NOT PROVEN"}`,
    `restored and checked in ${seconds(result.ms.restored)}: ${restored.checked.join("; ")}`,
    archiveLine(restored.objects),
    `opened with tower ${towerVersion()} in ${seconds(result.ms.opened)}`,
    `accounts: ${accountWords(accounts)}`,
    rowsText(rows),
    `${faults.length === 0 ? "whole: it can be restored" : "NOT WHOLE"}, ${seconds(ms)} in all; the temporary folder is removed`,
  ]);
  return faults.length === 0
    ? { exitCode: 0, stdout, stderr: "" }
    : { exitCode: 1, stdout, stderr: linesOf(faults) };
}

type Drilled = Extract<DrillResult, { readonly ok: true }>;

function archiveLine({ named, bytes, lacking, leftOut }: Drilled["restored"]["objects"]): string {
  if (named === 0) return "archive: it names no object";
  const where = leftOut ? "in the archive itself, as the backup was made without them" : "beside it";
  const all = `${countWords(named, "object")} (${byteWords(bytes)})`;
  return lacking === 0
    ? `archive: ${all} lie ${where} and hash right`
    : `archive: of ${all} ${countText(lacking)} do not lie whole ${where}`;
}

function accountWords({ stored, readable }: Drilled["accounts"]): string {
  if (stored === 0) return "none";
  return readable === stored
    ? `${countText(stored)}, each can be read with its key`
    : `${countText(stored)}, of which ${countText(readable)} can be read with its key`;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Lines for a terminal: anybody can have written what the file says. */
const linesOf = (lines: readonly string[]) => lines.map(onOneLine).join("\n");
