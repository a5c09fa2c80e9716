import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { restoreInto } from "../backup/mod.ts";
import type { Config } from "../platform/config.ts";
import { rowsText } from "./backup_words.ts";
import { type Invocation, type Outcome, refused, usage } from "./contract.ts";

const help = `Usage: tower restore <file> [--despite-faults]

Puts the database of a backup into the data folder, which must hold none and be used by nobody. The file is checked first: its
seal, the database, its release, and everything it says. Nothing is overwritten.

  --despite-faults   restores a sound file also when what it says contradicts itself; tower rebuild may mend that`;

/** `restore`: the one command that works on a data folder without opening what is in it. */
export const restore = {
  name: "restore",
  summary: "put a backup into an empty data folder",
  help,
  run: async (config: Config, { args, cwd = "." }: Invocation): Promise<Outcome> => {
    let parsed: ReturnType<typeof parse>;
    try {
      parsed = parse(args);
    } catch (error) {
      return usage(restore, error instanceof Error ? error.message : "the arguments are not understood");
    }
    const [file, ...rest] = parsed.positionals;
    if (file === undefined || rest.length > 0) return usage(restore, "exactly one file is needed");
    const path = resolve(cwd, file);
    if (!existsSync(path)) return refused(`there is no file ${path}`);
    const despiteFaults = parsed.values["despite-faults"] ?? false;
    const result = await restoreInto(config.dataDir, path, { despiteFaults });
    if (!result.ok) {
      return refused([`nothing was restored: ${result.reason}`, ...result.faults].join("\n"));
    }
    const stdout = [
      join(config.dataDir, "tower.db"),
      `as of ${result.madeAt}, checked`,
      rowsText(result.rows),
      CONSTANTS[result.constants],
      keyLine(config),
    ];
    return { exitCode: 0, stdout: stdout.join("\n"), stderr: result.faults.join("\n") };
  },
};

const CONSTANTS = {
  restored: "constants.toml: written from its last version",
  kept: "constants.toml: was there, and is kept",
  none: "constants.toml: the backup holds no version; the defaults are written at the first start",
} as const;

function keyLine(config: Config): string {
  if (config.credentialsKey !== undefined) return "credentials key: from the CREDENTIALS_KEY setting";
  const path = join(config.dataDir, "credentials.key");
  return existsSync(path)
    ? `credentials key: ${path} was there`
    : `credentials key: MISSING; put it back at ${path} (mode 0600) before the first start, or stored credentials cannot be opened`;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { "despite-faults": { type: "boolean" } },
  });
}
