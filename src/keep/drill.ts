/** A drill: a backup restored into a temporary folder, opened as the service opens it, and removed. */

import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { InstallationKeys } from "../base/keys.ts";
import type { Machine } from "../base/machine.ts";
import { pathFault } from "../base/storage_fault.ts";
import { byteWords, messageOf } from "../base/text.ts";
import { parseInstant } from "../base/time.ts";
import type { ObjectStore } from "../store/objects.ts";
import { countAppendOnly, type RowCounts } from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";
import { type RestoreDeps, restoreInto } from "./restore.ts";
import { type Seal, sealAtEnd } from "./seal.ts";

export interface DrillDeps extends RestoreDeps {
  readonly machine: Pick<Machine, "room">;
  /** Opens a data folder as the service does; says how many accounts are stored, and how many of them the key reads. */
  readonly open: (dataDir: string) => Promise<{
    readonly store: Store;
    readonly accounts: { readonly stored: number; readonly readable: number };
    readonly close: () => void;
  }>;
}

/** What to try. */
interface DrillRequest {
  /** A backup, or a folder of backups. */
  readonly path: string;
  /** Where the temporary folder is made. */
  readonly scratch: string;
  readonly keys: InstallationKeys | undefined;
  readonly unverifiedOrigin: boolean;
  /** The running archive: only a backup that was made without objects is held against it. */
  readonly archive: ObjectStore;
  readonly signal?: AbortSignal | undefined;
}

/** What a drill found. */
export type DrillResult = Awaited<ReturnType<typeof drill>>;

const PREFIX = "tower-drill-";
/** No drill takes that long: a folder that nobody has written to since was left by one that was killed. */
const LEFT_BEHIND_MS = 24 * 60 * 60_000;
/** A restored database may grow to twice its size while it is brought to this release, and its log has a size of its own. */
const LOG_BYTES = 64 * 1024 * 1024;

/**
 * Tries a backup as a lost machine would: restores it into a folder that is made for it and removed again, with every check there is
 * of the database and of every object that it names, where these lie; then opens it as the service does. The data folder is not
 * touched. Nothing that is wrong ends it early where more can be found.
 */
export async function drill(deps: DrillDeps, request: DrillRequest) {
  let backup: string | undefined;
  try {
    const found = chosen(request.path);
    backup = found.path;
    if (backup === undefined) {
      return refused(backup, `there is no backup in ${request.path}`, found.broken);
    }
    const needed = await roomLacking(deps, backup, request.scratch);
    if (needed !== undefined) return refused(backup, needed);
    sweepDrills(request.scratch, deps.clock.now());
    const folder = mkdtempSync(join(request.scratch, PREFIX));
    try {
      return await tryIn(folder, deps, { ...request, backup, broken: found.broken });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    if (request.signal?.aborted === true) return refused(backup, "the drill was stopped");
    return refused(backup, pathFault(error));
  }
}

function chosen(path: string) {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.isDirectory() === true ? newestBackup(path) : { path, broken: [] };
}

function refused(backup: string | undefined, reason: string, faults: readonly string[] = []) {
  return { ok: false, backup, reason, faults } as const;
}

async function roomLacking({ machine }: DrillDeps, backup: string, scratch: string) {
  const needed = statSync(backup).size * 2 + LOG_BYTES;
  const room = await machine.room(scratch);
  if (room === undefined || room.free >= needed) return undefined;
  return `the drill needs ${byteWords(needed)} in ${scratch}, and ${byteWords(room.free)} are free there: give it another folder with --in`;
}

async function tryIn(
  folder: string,
  deps: DrillDeps,
  request: DrillRequest & { readonly backup: string; readonly broken: readonly string[] },
) {
  const { backup, keys, unverifiedOrigin, archive, signal, broken } = request;
  const dataDir = join(folder, "data");
  const started = performance.now();
  const result = await restoreInto(deps, dataDir, backup, {
    archive,
    onlyProves: true,
    despiteFaults: true,
    unverifiedOrigin,
    ownKeys: undefined,
    givenKeys: keys,
    signal,
  });
  signal?.throwIfAborted();
  if (!result.ok) return refused(backup, result.reason, [...result.faults, ...broken]);
  const { ok: _, faults, ...restored } = result;
  const restoredAt = performance.now();
  const data = await deps.open(dataDir);
  try {
    const rows = countAppendOnly(data.store);
    return {
      ok: true as const,
      backup,
      restored,
      accounts: data.accounts,
      /** Rows as this release opens them. */
      rows,
      /** What is wrong, each by name; the backup is whole where there is nothing. */
      faults: [...faults, ...rowsLost(restored.sealedRows, rows), ...broken],
      /** What restoring with all its checks took, and opening, in milliseconds. */
      ms: { restored: restoredAt - started, opened: performance.now() - restoredAt },
    };
  } finally {
    data.close();
  }
}

/** Tables that hold less than was sealed. Pure. */
function rowsLost(sealed: RowCounts, opened: RowCounts): string[] {
  return Object.entries(sealed).flatMap(([table, least]) => {
    const held = opened[table] ?? 0;
    return held < least ? [`${table}: ${held} rows, but ${least} were sealed`] : [];
  });
}

/** Removes what killed drills left: folders of our name and of this user alone. */
function sweepDrills(scratch: string, now: number): void {
  for (const name of readdirSync(scratch)) {
    if (!name.startsWith(PREFIX)) continue;
    const facts = lstatSync(join(scratch, name), { throwIfNoEntry: false });
    const isOurs =
      facts?.isDirectory() === true && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0;
    if (isOurs && facts.mtimeMs < now - LEFT_BEHIND_MS) {
      rmSync(join(scratch, name), { recursive: true, force: true });
    }
  }
}

/** What every SQLite file begins with. */
const SQLITE = "SQLite format 3\0";

/**
 * Finds the newest backup among the files of a folder, by what their seals say. What was cut short, or is still being copied there,
 * must not be passed over for an older one in silence, so that it is told. Throws where the folder cannot be read.
 */
export function newestBackup(folder: string) {
  const found = readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => lookAt(join(folder, name)));
  const [newest] = found
    .flatMap(({ is, ...file }) => ("madeAt" in is ? [{ ...file, ...is }] : []))
    .sort((one, other) => other.madeAt - one.madeAt || (one.path < other.path ? 1 : -1));
  const broken = found.flatMap(({ path, modifiedAt, is }) =>
    "fault" in is && modifiedAt >= (newest?.modifiedAt ?? 0) ? [`${path} ${is.fault}`] : [],
  );
  return {
    /** Undefined where no file is one. */
    path: newest?.path,
    /** Files that were written after it and may have been backups: each in a sentence. */
    broken,
  };
}

/** Nothing where it is no backup, and cannot have been one. */
function lookAt(path: string) {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return [];
  /** When it was made, by its seal; or what is wrong with it. */
  const found = (is: { readonly madeAt: number } | { readonly fault: string }) => [
    { path, modifiedAt: facts.mtimeMs, is },
  ];
  try {
    const file = openSync(path, "r");
    try {
      const seal = sealAtEnd(file, facts.size);
      if (seal !== undefined) return found({ madeAt: madeAt(seal) });
      return beginsAsDatabase(file)
        ? found({ fault: "ends with no whole seal: it is damaged, cut short, or no backup" })
        : [];
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return found({ fault: `cannot be read: ${messageOf(error)}` });
  }
}

const madeAt = ({ made_at }: Seal) => parseInstant(made_at) ?? 0;

function beginsAsDatabase(file: number): boolean {
  const bytes = new Uint8Array(SQLITE.length);
  readSync(file, bytes, 0, bytes.length, 0);
  return new TextDecoder().decode(bytes) === SQLITE;
}
