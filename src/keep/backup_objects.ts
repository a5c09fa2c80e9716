/** Copies the objects of the archive beside a backup. */

import { type FileHandle, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { reportsOfObject } from "../archive/manifest.ts";
import { FAULT_WORDS } from "../archive/manifest_copy.ts";
import { listPacks, objectsNamed } from "../archive/objects.ts";
import { mapConcurrent } from "../base/concurrency.ts";
import type { Config } from "../base/config.ts";
import { systemFiles } from "../base/files.ts";
import { storageFault } from "../base/storage_fault.ts";
import { codeOf, countWords, messageOf } from "../base/text.ts";
import { dayOfNumber } from "../base/time.ts";
import { openObjectStore } from "../store/directory_store.ts";
import { verifyObject } from "../store/object_check.ts";
import {
  type Findable,
  faultThrown,
  type ObjectFault,
  type ObjectStore,
  readObject,
  type StoredObject,
} from "../store/objects.ts";
import { packAsObject } from "../store/pack.ts";
import type { RowCounts } from "../store/snapshot.ts";
import type { Db, Store } from "../store/store.ts";

/**
 * The objects of the archive beside backups: one folder for all backups that lie in a folder. An object's name is a digest of what it
 * holds, so that one copy is right for each backup that names it, and what was copied once is not copied again; so is a pack's. It is laid
 * out as the archive itself.
 */

/** Where the objects lie that the backups in `folder` name. */
export function besideIn(folder: string): string {
  return join(folder, "tower-archive");
}

/** The objects beside the backups in `folder`. Nothing is made before something is stored. */
export function storeBeside(folder: string): ObjectStore {
  return openObjectStore({ rawSignals: besideIn(folder), s3: undefined });
}

/** Whether the archive itself lies where its copy would: then there would be only one. */
export async function isArchiveItself(folder: string, rawSignals: string): Promise<boolean> {
  const [beside, archive] = await Promise.all([placeOf(besideIn(folder)), placeOf(rawSignals)]);
  return beside !== undefined && beside === archive;
}

async function placeOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Waits until the disk has the names of all objects, folder by folder: of those, too, that a killed backup brought. */
async function settleBeside(folder: string): Promise<void> {
  const folders = await objectFolders(folder);
  if (folders.length > 0) folders.push(besideIn(folder), folder);
  for (const path of folders) await systemFiles.syncFolder(path);
}

/** Removes what killed backups left half written, but nothing that was written to since `before`, in milliseconds since the epoch. */
export async function sweepBeside(folder: string, before: number): Promise<void> {
  for (const path of await objectFolders(folder)) {
    for (const name of await readdir(path)) {
      if (!name.startsWith(".tmp-")) continue;
      const left = join(path, name);
      const facts = await stat(left).catch(() => undefined);
      if (facts !== undefined && facts.mtimeMs < before) await rm(left, { force: true });
    }
  }
}

/** The folders that objects and packs lie in, the inner ones first; none where there are none. */
async function objectFolders(folder: string): Promise<string[]> {
  const beside = besideIn(folder);
  return [...(await foldersAt(join(beside, "objects"))), ...(await foldersAt(join(beside, "packs")))];
}

async function foldersAt(path: string): Promise<string[]> {
  try {
    const inner: string[] = [];
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isDirectory()) inner.push(...(await foldersAt(join(path, entry.name))));
    }
    return [...inner, path];
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Most objects that are named of those that lack. */

const MOST_NAMED = 20;

/**
 * What was found of the objects that a manifest names: how many there are, and the length of their gzip bytes; how many are not there
 * whole, which, and why: twenty at most, and how many more.
 */
export type ObjectsFound = ReturnType<ObjectTally["summary"]>;

/** What is wrong with an object, and where, as the rest of a sentence that begins with it. */
export const objectFaultWords = (fault: ObjectFault, { where }: Pick<ObjectStore, "where">): string =>
  `${FAULT_WORDS[fault]} in ${where}`;

/** Counts objects, and names those that lack, in memory that does not grow with them. */
export class ObjectTally {
  readonly #faults: string[] = [];
  readonly #db: Db;
  #named = 0;
  #bytes = 0;
  #lacking = 0;

  /** `db` says what an object holds, for people. */
  constructor(db: Db) {
    this.#db = db;
  }

  name({ storedBytes }: StoredObject): void {
    this.#named++;
    this.#bytes += storedBytes;
  }

  /** `why` is the rest of a sentence that begins with its name; undefined where what keeps all of them is told once. */
  lack({ sha256 }: StoredObject, why: string | undefined): void {
    this.#lacking++;
    if (why === undefined || this.#faults.length >= MOST_NAMED) return;
    this.#faults.push(`object ${sha256}${reportHeld(this.#db, sha256)} ${why}`);
  }

  get named(): number {
    return this.#named;
  }

  /** `reason` is what kept all that is not named. */
  summary(reason?: string) {
    const [named, bytes, lacking] = [this.#named, this.#bytes, this.#lacking];
    const more = lacking - this.#faults.length;
    const rest =
      reason === undefined
        ? `and ${countWords(more, "more object")}`
        : `${countWords(more, "object")}: ${reason}`;
    return { named, bytes, lacking, faults: more === 0 ? this.#faults : [...this.#faults, rest] };
  }
}

/** Which report an object is, the newest that it is of. Nothing where the manifest cannot tell: its name is told all the same. */
function reportHeld(db: Db, sha256: string): string {
  try {
    const [newest] = reportsOfObject(db, sha256, 1);
    if (newest === undefined) return "";
    const { target, date } = newest;
    return ` (${target.asset}, ${target.provider} ${target.family}, ${dayOfNumber(date)})`;
  } catch {
    return "";
  }
}

/** Where an archive lies; undefined where its objects are left out on purpose. Plain data: it travels to a worker. */
export type ArchivePlace = Pick<Config, "rawSignals" | "s3"> | undefined;

/** What was found, with those that were not there before and the length of their gzip bytes; and whether none was to be copied. */
export type CopiedObjects = Awaited<ReturnType<typeof copyArchive>>;

/** How far copying is. */
export interface CopyProgress {
  /** Objects that were looked at, and about how many there are. */
  readonly objects: number;
  readonly of: number;
  readonly copied: number;
}

/** Least time between two words on how far it is, in milliseconds. */
const PROGRESS_MS = 1_000;
/** Copied at once: most of the time of one is waiting for a disk. */
const AT_ONCE = 8;
/** After so many in a row that the archive gives no answer for, it is asked no more. */
const MOST_UNANSWERED = 3;

/**
 * Copies the objects that the manifest of a snapshot, the file `target`, names into the folder beside it, and waits until the disk has them:
 * those that are not there yet in the length that they were stored in, each judged on the way. What is damaged or missing in the archive
 * lacks, by name, and the others are copied all the same. Where the archive cannot be read, or what is copied to takes no more, the rest
 * lacks. Never throws for any of these. `archive` is undefined where its objects are left out on purpose.
 */
export async function copyArchive(
  snapshot: Store,
  { rows, archive, target }: { rows: RowCounts; archive: ArchivePlace; target: string },
  onProgress: (progress: CopyProgress) => void,
) {
  const tally = new ObjectTally(snapshot.db);
  const named = objectsNamed(snapshot.db);
  if (archive === undefined) {
    for (const object of named) tally.name(object);
    return { ...tally.summary(), copied: 0, copiedBytes: 0, leftOut: true };
  }
  const folder = dirname(target);
  const [from, into] = [openObjectStore(archive), storeBeside(folder)];
  let [begun, copied, copiedBytes, unanswered, told] = [0, 0, 0, 0, Number.NEGATIVE_INFINITY];
  /** What became of each pack. */
  const packs = new Map<string, "there" | "copied" | "lacks">();
  let ended: string | undefined;
  /** Why an object could not be copied; undefined where it was. `null` where what keeps all of them is told once. */
  const copy = async (
    object: StoredObject,
    { anew, as: { place } }: { readonly anew: boolean; readonly as: Findable },
  ): Promise<string | null | undefined> => {
    const path = `${target}-object-${++begun}`;
    try {
      const fault = await fetchObject(from, object, path);
      unanswered = 0;
      if (fault !== undefined) return objectFaultWords(fault, from);
    } catch (error) {
      const isUnwritable = error instanceof UnwritableCopy;
      if (isUnwritable || ++unanswered >= MOST_UNANSWERED) ended ??= messageOf(error);
      return ended === undefined ? `could not be read: ${messageOf(error)}` : null;
    }
    try {
      await into.put({ ...object, place }, path, { anew, given: true });
      return undefined;
    } catch (error) {
      ended ??= messageOf(error);
      return null;
    } finally {
      await rm(path, { force: true });
    }
  };
  /** What becomes of what is to lie beside it; `null` as above. */
  const bring = async (object: StoredObject, as: Findable = object) => {
    const there = await lengthIn(into, as);
    if (there === object.storedBytes) return "there";
    const why = ended === undefined ? await copy(object, { anew: there !== undefined, as }) : null;
    return why === undefined ? "copied" : { why };
  };
  await mapConcurrent(listPacks(snapshot.db), AT_ONCE, async (pack) => {
    const came = await bring(packAsObject(pack));
    packs.set(pack.path, typeof came === "string" ? came : "lacks");
  });
  await mapConcurrent(named, AT_ONCE, async (object) => {
    tally.name(object);
    const packed = packs.get(object.place?.pack ?? "") ?? "lacks";
    // What is whole of a damaged pack lies beside it by itself.
    const came = packed === "lacks" ? await bring(object, { sha256: object.sha256 }) : packed;
    if (came === "copied") {
      copied++;
      copiedBytes += object.storedBytes;
    } else if (came !== "there") tally.lack(object, came.why ?? undefined);
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    onProgress({ objects: tally.named, of: rows["archive_object"] ?? 0, copied });
  });
  await settleBeside(folder);
  return { ...tally.summary(ended), copied, copiedBytes, leftOut: false };
}

/** The length of what is there of an object or a pack; undefined where nothing is, or that cannot be told. */
async function lengthIn(store: ObjectStore, object: Findable): Promise<number | undefined> {
  try {
    return (await store.find(object))?.storedBytes;
  } catch {
    return undefined;
  }
}

/** A file that was to take an object could not be written. */
class UnwritableCopy extends Error {
  override readonly name = "UnwritableCopy";
}

/**
 * Copies the gzip bytes of an object into the new file `path`, and judges them as they pass: that their length and digest are those
 * that were stored says that they hold what was archived. Returns what is wrong with them; the file is then of no use. Throws what
 * keeps the store from being read, and `UnwritableCopy`.
 */
export async function fetchObject(
  store: ObjectStore,
  object: StoredObject,
  path: string,
): Promise<ObjectFault | undefined> {
  const { storedBytes, storedSha256 } = object;
  const file = await writing(() => open(path, "wx", 0o400));
  try {
    const hasher = new Bun.CryptoHasher("sha256");
    let at = 0;
    for await (const piece of readObject(store, object)) {
      if (at + piece.byteLength > storedBytes) return "length";
      hasher.update(piece);
      await writing(() => writePiece(file, piece, at));
      at += piece.byteLength;
    }
    if (at !== storedBytes) return "length";
    if (hasher.digest("hex") === storedSha256) return undefined;
    // Read once more to say what it is, as a check says it.
    return (await verifyObject(store, object)) ?? "stored_digest";
  } catch (error) {
    const fault = faultThrown(error);
    if (fault !== undefined) return fault;
    throw error;
  } finally {
    await file.close();
  }
}

/** One call may take only a part, as where the disk is nearly full. */
async function writePiece(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) {
    done += (await file.write(piece, done, piece.byteLength - done, position + done)).bytesWritten;
  }
}

async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UnwritableCopy(`a copy of an object could not be written: ${storageFault(error)}`, {
      cause: error,
    });
  }
}
