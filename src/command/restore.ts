import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type RestoreResult, restoreInto } from "../backup/mod.ts";
import { onOneLine } from "../lib/one_line.ts";
import { openObjectStore } from "../objects/mod.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { systemIds } from "../platform/ids.ts";
import { findKeys, keyPath } from "../platform/keys.ts";
import { broughtText, madeWords, rowsText } from "./backup_words.ts";
import { type Command, commandWith, refused } from "./contract.ts";
import { givenKey } from "./key_option.ts";

/** `restore`: the one command that works on a data folder without opening what is in it. */
export const restore: Command<Config> = commandWith<Config>()({
  name: "restore",
  summary: "put a backup into an empty data folder",
  takes: ["<file>"],
  about: [
    "Puts the database of a backup into the data folder, which must hold none and be used by nobody. The file is checked first: its seal, that this installation made it, the database, its release, and everything it says. Nothing is overwritten. Everybody has to sign in anew afterwards.",
    "Every report of the archive that it names is proven, too: where RAW_SIGNALS does not hold it whole, it is put there from the folder tower-archive beside the backup. Where one is missing or damaged, nothing is restored and it is named.",
  ],
  options: {
    "key-file": {
      value: "<path>",
      says: "the key of the installation that made the backup, as its credentials.key holds it: proves the origin on a new machine, and becomes the data folder's key where that has none",
    },
    "despite-faults": {
      says: "restores a sound file also when what it says contradicts itself, which tower rebuild may mend, and when objects of the archive are missing or damaged",
    },
    "unverified-origin": {
      says: "restores a file also when no key proves who made it. Anybody can have written it: look at the operators and tokens that are then listed. Stored credentials count as lost",
    },
  },
  run: async (config, { args: [file = ""], options, cwd = "." }) => {
    const path = resolve(cwd, file);
    if (!existsSync(path)) return refused(`there is no file ${path}`);
    const {
      "key-file": keyFile,
      "despite-faults": despiteFaults = false,
      "unverified-origin": unverifiedOrigin = false,
    } = options;
    const given = givenKey(keyFile, cwd);
    if (!given.ok) return refused(given.fault);
    const deps = { clock: systemClock, ids: systemIds };
    const result = await restoreInto(deps, config.dataDir, path, {
      archive: openObjectStore(config),
      despiteFaults,
      unverifiedOrigin,
      ownKeys: findKeys(config),
      givenKeys: given.keys,
    });
    if (!result.ok) {
      return refused(linesOf([`nothing was restored: ${result.reason}`, ...result.faults]));
    }
    const stdout = [
      join(config.dataDir, "tower.db"),
      `as of ${madeWords(result.madeAt)}, checked, ${result.origin.kind === "proven" ? "made by the installation of this key" : "ORIGIN NOT PROVEN"}`,
      rowsText(result.rows),
      broughtText(result.objects, config.rawSignals),
      CONSTANTS[result.constants],
      keyLine(config, result.keyWritten),
      "sessions: all ended; everybody signs in anew",
    ];
    return {
      exitCode: 0,
      stdout: linesOf(stdout),
      stderr: linesOf([...warnings(result), ...result.faults]),
    };
  },
});

/** Lines for a terminal. Anybody can have written what the file says, so that none of it may hide who is let in. */
function linesOf(lines: readonly string[]): string {
  return lines.map(onOneLine).join("\n");
}

const CONSTANTS = {
  restored: "constants.toml: written from its last version",
  kept: "constants.toml: was there, and is kept",
  none: "constants.toml: the backup holds no version; the defaults are written at the first start",
} as const;

function keyLine(config: Config, written: boolean): string {
  if (config.credentialsKey !== undefined) return "credentials key: from the CREDENTIALS_KEY setting";
  return `credentials key: ${keyPath(config.dataDir)} ${written ? "was written" : "was there"}`;
}

/** Without a proven origin the file may have been made to let somebody in: everybody whom it admits is named. */
function warnings({ origin, admits }: Extract<RestoreResult, { ok: true }>): string[] {
  if (origin.kind === "proven") return [];
  const named = (what: string, names: readonly string[]) => [
    `${what}: ${names.length === 0 ? "none" : ""}`.trimEnd(),
    ...names.map((name) => `  ${name}`),
  ];
  return [
    `Nothing proves that this installation made the backup: ${origin.reason}. Stored credentials count as lost.`,
    "This is whom it lets in. Set a new password for an operator you do not know (tower operator reset) before the service starts,",
    "and remove a token you do not know (tower token list, tower token remove).",
    ...named("operators", admits.operators),
    ...named("operator tokens", admits.apiTokens),
    ...named("site tokens", admits.siteTokens),
  ];
}
