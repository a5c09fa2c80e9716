/** Commands on backups: making one, restoring one, trying one. */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { systemClock, systemIds } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { findKeys, keyPath, readKeyFile } from "../base/keys.ts";
import { systemMachine } from "../base/machine.ts";
import { isStorageFailure, storageFault } from "../base/storage_fault.ts";
import { byteWords, countText, countWords, nounFor, onOneLine } from "../base/text.ts";
import { momentText, parseInstant } from "../base/time.ts";
import { towerVersion } from "../base/version.ts";
import { backUp, type LastBackup, noteBackup } from "../keep/backup.ts";
import { besideIn, type CopiedObjects, type ObjectsFound } from "../keep/backup_objects.ts";
import { type DrillDeps, type DrillResult, drill as tryBackup } from "../keep/drill.ts";
import { type RestoreResult, restoreInto } from "../keep/restore.ts";
import type { RestoredObjects } from "../keep/restore_objects.ts";
import { openObjectStore } from "../store/directory_store.ts";
import type { RowCounts } from "../store/snapshot.ts";
import { commandWith, type ReadOnlyDeps, readOnlyCommand, refused } from "./command.ts";

/** Rows by table, for example `rows: audit 12, pulse 340`. */
const rowsText = (rows: RowCounts): string =>
  `rows: ${Object.entries(rows)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")}`;

/** What the archive of a backup is said to be; `told` is given all of its objects in words, of which some may lack. */
function archiveText<T extends ObjectsFound>(found: T, told: (all: string, found: T) => string): string {
  const { named, bytes } = found;
  return `archive: ${named === 0 ? "it names no object" : told(`${countWords(named, "object")} (${byteWords(bytes)})`, found)}`;
}

/** What became of the archive, for example `archive: 1,204 objects (812 MiB) in /backups/tower-archive, 36 of them new (2.1 MiB)`. */
const objectsText = (objects: CopiedObjects, folder: string) =>
  archiveText(objects, (all, { named, lacking, copied, copiedBytes, leftOut }) => {
    if (leftOut) return `LEFT OUT, ${all}; tower restore needs the archive as it is`;
    const kept = lacking === 0 ? all : `${countText(named - lacking)} of ${all}`;
    return `${kept} in ${folder}, ${countText(copied)} of them new (${byteWords(copiedBytes)})`;
  });

/** What became of the archive at a restore, for example `archive: 1,204 objects (812 MiB) in /data/raw-signals, 1,204 of them put there`. */
const restoredText = (objects: RestoredObjects, where: string) =>
  archiveText(objects, (all, { named, lacking, restored }) => {
    const kept = lacking === 0 ? all : `NOT WHOLE, ${countText(named - lacking)} of ${all}`;
    return `${kept} in ${where}, ${countText(restored)} of them put there now`;
  });

/** When a backup was made, in words; what its seal says where that is no moment. */
function madeWords(madeAt: string): string {
  const at = parseInstant(madeAt);
  return at === undefined ? madeAt : momentText(at, systemClock.now());
}

export const backup = readOnlyCommand({
  name: "backup",
  summary: "copy the database and the archive, while the service runs",
  takes: ["<file>"],
  lasts: true,
  about: [
    "Copies the database into a new file while the service runs: one consistent snapshot, checked and sealed with this installation's key. Nothing is overwritten. Restore it with tower restore.",
    "Archived reports go into the folder tower-archive beside it, which all backups of a folder share; each is copied once. If one is damaged or missing, it is named, the backup is made without it, and the exit code is 1.",
    "The key is not in the backup: keep it elsewhere. On another machine tower restore needs it to verify the backup. All versions of the constants document are in the backup.",
  ],
  options: {
    "without-objects": {
      says: "leaves the archive out, if it is safe elsewhere (a bucket with versions); tower restore then needs that archive",
    },
  },
  run: async (given, { args: [file = ""], options, cwd = ".", signal }) => {
    const deps = given.keys?.isStandIn === true ? { ...given, keys: undefined } : given;
    const target = resolve(cwd, file);
    const startedAt = deps.clock.now();
    const result = await backUp(deps, {
      source: deps.store.path,
      target,
      archive: options["without-objects"] === true ? undefined : deps.config,
      signal,
    });
    if (!result.ok) return refused(`no backup was made: ${result.reason}`);
    const { bytes, rows, objects, ms, faults } = result;
    const isWhole = objects.lacking === 0;
    const stdout = [
      target,
      `${byteWords(bytes)}, ${(ms / 1000).toFixed(1)} s, checked${isWhole ? "" : ", NOT WHOLE"}`,
      rowsText(rows),
      objectsText(objects, besideIn(dirname(target))),
      "constants.toml: in it, with its earlier versions",
      `credentials key${deps.keys === undefined ? "" : ` (${deps.keys.id})`}: NOT in it; keep ${keyPlace(deps)} apart from the backups`,
    ];
    const warnings = [
      ...(deps.keys === undefined
        ? ["no key is here: nothing in this backup proves that it is of this installation"]
        : []),
      ...keyWarnings(deps),
      ...(await noteMade(deps, {
        at: startedAt,
        lacking: objects.leftOut ? undefined : objects.lacking,
      })),
      ...faults.map((fault) => `in the data, and so in the backup: ${fault}`),
      ...(isWhole
        ? []
        : [
            `the backup is not whole: of ${countWords(objects.named, "object")} that its manifest names, ${countText(objects.lacking)} could not be copied; the database and the others are safe, and the next backup tries again`,
            ...objects.faults,
          ]),
    ];
    return { exitCode: isWhole ? 0 : 1, stdout: stdout.join("\n"), stderr: warnings.join("\n") };
  },
});

/** Lets a running service tell when its data was last backed up; a full disk must not make a backup look like none. */
async function noteMade({ writer }: ReadOnlyDeps, made: LastBackup): Promise<string[]> {
  try {
    await writer?.write((tx) => noteBackup(tx, made));
    return [];
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return [`when it was made could not be noted for /metrics: ${storageFault(error)}`];
  }
}

/** A running service seals with the key it started with: whoever keeps the file's key must hear that it is another by now. */
function keyWarnings({ config, keys }: ReadOnlyDeps): string[] {
  const kept = findKeys(config)?.id;
  if (keys === undefined || kept === keys.id) return [];
  return [
    `${keyPath(config.dataDir)} ${kept === undefined ? "holds no key any more" : `holds another key by now (${kept})`}: what proves this backup is the key that the service started with (${keys.id}); put that one back before the service stops`,
  ];
}

function keyPlace({ config }: ReadOnlyDeps): string {
  return config.credentialsKey === undefined
    ? resolve(config.dataDir, "credentials.key")
    : "the CREDENTIALS_KEY setting";
}

/** The key in the file that `--key-file` names, if it does; or what is wrong with it. */
function givenKey(keyFile: string | undefined, cwd: string) {
  if (keyFile === undefined) return { ok: true, keys: undefined } as const;
  const path = resolve(cwd, keyFile);
  const keys = readKeyFile(path);
  if (keys !== undefined) return { ok: true, keys } as const;
  const fault = existsSync(path)
    ? `${path} holds no key: it must be a file with 32 bytes in base64`
    : `there is no file ${path}`;
  return { ok: false, fault } as const;
}

/** `restore`: the one command that works on a data folder without opening what is in it. */
export const restore = commandWith<Config>()({
  name: "restore",
  summary: "restore a backup into an empty data folder",
  takes: ["<file>"],
  about: [
    "Restores the database of a backup into a data folder that has none and that no service uses. The file is checked first: its seal, its origin, its release and all of its data. Nothing is overwritten. Everybody has to sign in again.",
    "Archived reports are checked, too. Those that RAW_SIGNALS lacks are copied from tower-archive beside the backup. If one is missing or damaged, it is named and nothing is restored.",
  ],
  options: {
    "key-file": {
      value: "<path>",
      says: "the credentials.key of the installation that made the backup: verifies its origin on a new machine, and becomes the data folder's key if it has none",
    },
    "despite-faults": {
      says: "restores a readable file even if its data is inconsistent (tower rebuild may repair that), or if archived reports are missing or damaged",
    },
    "unverified-origin": {
      says: "restores a file even if no key verifies who made it. Check the operators and tokens that are then listed. Stored credentials are lost",
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
      `as of ${madeWords(result.madeAt)}, checked, ${originWords(result)}`,
      rowsText(result.rows),
      restoredText(result.objects, config.rawSignals),
      CONSTANTS[result.constants],
      keyLine(config, result.keyWritten),
      "sessions: all ended; everybody signs in again",
    ];
    return {
      exitCode: 0,
      stdout: linesOf(stdout),
      stderr: linesOf([...warnings(result), ...result.faults]),
    };
  },
});

const originWords = ({ origin }: Drilled["restored"]): string =>
  origin.kind === "proven" ? "made by the installation of this key" : "ORIGIN NOT PROVEN";

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

/** What a drill is given: the settings, and how the service opens a data folder. */
export interface DrillNeeds {
  readonly config: Config;
  readonly open: (config: Config) => ReturnType<DrillDeps["open"]>;
}

/** `drill`: works on a temporary folder; neither the service nor its data is asked. */
export const drill = commandWith<DrillNeeds>()({
  name: "drill",
  summary: "prove that a backup restores, in a temporary folder",
  takes: ["<backup file or folder>"],
  about: [
    "Restores a backup, or the newest one of a folder, into a temporary folder, runs every check of tower check on it and its archived reports, opens it with this release, and removes the folder. The data folder is not touched, and the service keeps running.",
    "Prints what was checked and how long it took. Exit code 0 when the backup restores completely, 1 when anything is wrong, which is named. It needs twice the database's size while it runs.",
  ],
  options: {
    in: {
      value: "<folder>",
      says: "where the temporary folder is made; the system's temporary folder by default",
    },
    "key-file": {
      value: "<path>",
      says: "the key of the installation that made the backup, if DATA_DIR does not have it",
    },
    "unverified-origin": { says: "checks a file even if no key verifies who made it" },
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
    `as of ${madeWords(restored.madeAt)}, ${originWords(restored)}`,
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

const archiveLine = (objects: Drilled["restored"]["objects"]) =>
  archiveText(objects, (all, { lacking, leftOut }) => {
    const where = leftOut ? "in the archive itself, as the backup was made without them" : "beside it";
    return lacking === 0
      ? `${all} lie ${where} and hash right`
      : `${countText(lacking)} of ${all} ${nounFor(lacking, "is", "are")} missing or damaged ${where}`;
  });

function accountWords({ stored, readable }: Drilled["accounts"]): string {
  if (stored === 0) return "none";
  return readable === stored
    ? `${countText(stored)}, each can be read with its key`
    : `${countText(stored)}, of which ${countText(readable)} can be read with its key`;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
