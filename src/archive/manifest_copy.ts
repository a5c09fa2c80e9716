/**
 * The rows of each run as a file beside the objects, so that who can read the archive's place needs no Tower: one line of JSON a row, as
 * the read API tells it, with the property and the object's path. What could not be written is made up by the next run.
 */

import { createGzip } from "node:zlib";
import { logOf } from "../base/log.ts";
import { byteWords, countText, countWords } from "../base/text.ts";
import { dayOfNumber, formatInstant, utcDayOf } from "../base/time.ts";
import { findRun } from "../store/job_runs.ts";
import { verifyFile, verifyObject } from "../store/object_check.ts";
import {
  type ObjectFault,
  type ObjectStore,
  pathOfObject,
  type StoredObject,
  StoreFault,
} from "../store/objects.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { JOINED, type JoinedRow, manifestRow, reportsOfObject } from "./manifest.ts";
import type { ManifestRow } from "./manifest_row.ts";
import { findObject, objectsNamed } from "./objects.ts";
import { ARCHIVE_JOB } from "./plan.ts";

// What verifying the archive came to, in lines for a terminal.

/** What is wrong with an object, as the rest of a sentence that begins with it. */
export const FAULT_WORDS: Readonly<Record<ObjectFault, string>> = {
  missing: "is missing",
  length: "is not as long as it was stored",
  stored_digest: "was changed around what it holds",
  unreadable: "cannot be read",
  digest: "does not hold what it is named for",
};

/** What is wrong, one line each; empty where nothing is. */
export function faultLines({ wrong, damaged, copies, unnamed }: Verification): string[] {
  const more = damaged - wrong.length;
  return [
    ...wrong.map(objectLine),
    ...(more > 0 ? [`and ${countWords(more, "more object")} like these`] : []),
    ...copies.map(({ name, fault }) => {
      const is = fault === "stored_digest" ? "was changed" : FAULT_WORDS[fault];
      return `${name} ${is}: the next run of the archive writes it again`;
    }),
    ...unnamed.map((id) => `row ${id} of the manifest names an object that has no row`),
  ];
}

function objectLine({ sha256, fault, reports, isOfMore }: WrongObject): string {
  const named = reports.map(({ asset, provider, family, date }) => `${asset} ${provider} ${family} ${date}`);
  const of = named.length === 0 ? "" : `: ${named.join(", ")}${isOfMore ? " and others" : ""}`;
  return `object ${sha256} ${FAULT_WORDS[fault]}${of}`;
}

/** What is worth knowing and no fault. */
export function noteLines({ orphans, halfWritten }: Verification): string[] {
  return [
    ...(orphans === 0 ? [] : [`${countWords(orphans, "object")} that no row of the manifest names`]),
    ...halfWritten.map((path) => `half-written, and read by nobody: ${path}`),
  ];
}

/** How much was read, in a sentence. */
export function readWords({ objects, storedBytes }: Verification): string {
  return `${countText(objects)} ${objects === 1 ? "object" : "objects"} read, ${byteWords(storedBytes)}`;
}

// A row of the manifest as the read API tells it (decisions, Reading over the API).

export function manifestJson(row: ManifestRow) {
  const {
    id,
    run,
    target,
    date,
    rangeFrom,
    attemptedAt,
    outcome,
    category,
    failureCode,
    object,
    complete,
    notes,
  } = row;
  const { asset, provider, connectionRevision, family } = target;
  return {
    id,
    run,
    asset,
    provider,
    connection_revision: connectionRevision,
    family,
    date: dayOfNumber(date),
    range: rangeFrom === null ? null : { from: dayOfNumber(rangeFrom), to: dayOfNumber(date) },
    attempted_at: formatInstant(attemptedAt),
    outcome,
    category,
    failure_code: failureCode,
    object: object?.sha256 ?? null,
    bytes: object?.bytes ?? null,
    stored_bytes: object?.storedBytes ?? null,
    rows: object?.rows ?? null,
    complete,
    annotations: notes,
  };
}

/** What copying needs. */
interface CopyDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write">;
  readonly objects: ObjectStore;
}

/** Files written at the end of one run at most: the rest is made up by the runs after it. */
const MOST_FILES = 64;
const SLICE = 256;

const nextRun = statement<{ run: number | null }, [string, number]>(
  `SELECT min(id) AS run FROM job_run WHERE job = ? AND id > ? AND NOT EXISTS (SELECT 1 FROM archive_copy c WHERE c.run = job_run.id)
     AND EXISTS (SELECT 1 FROM archive_report r WHERE r.run = job_run.id)`,
);
const put = statement<never, [number, number, Uint8Array]>(
  "INSERT INTO archive_copy (run, bytes, sha256) VALUES (?, ?, ?)",
);
const drop = statement<never, [number | null]>("DELETE FROM archive_copy WHERE run = coalesce(?, run)");
const inPart = statement<{ run: number; bytes: number; sha256: Uint8Array }, [number, number]>(
  "SELECT run, bytes, sha256 FROM archive_copy WHERE run % ? = ? ORDER BY run",
);
const ofRun = statement<{ n: number }, [string]>(
  "SELECT count(*) AS n FROM archive_copy c JOIN job_run j ON j.id = c.run WHERE j.run = ?",
);
const rowsOfRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE r.run = ? AND r.id > ? ORDER BY r.id LIMIT ?`,
);

/** The name of a run's file. */
const manifestName = (startedAt: number, run: string): string =>
  `manifest/${utcDayOf(startedAt)}/${run}.ndjson.gz`;

/** Has the file of a run written again by the next run; of all runs where none is named: a restored archive may hold none of them. */
export function copyAnew(tx: Tx, run: number | null = null): void {
  drop(tx).run(run);
}

/** Whether a file is that of a run whose rows this database has, all of them. */
export function isOwnCopy(db: Db, name: string): boolean {
  const run = name.slice(name.lastIndexOf("/") + 1, -".ndjson.gz".length);
  return ofRun(db).first(run)?.n === 1;
}

/** A file that is not as it was written. */
export interface WrongCopy {
  /** The run's row in `job_run`. */
  readonly run: number;
  readonly name: string;
  readonly fault: ObjectFault;
}

/** Reads the files of every `each`th run anew, and gives those that are not as they were written. Throws `StoreFault`. */
export async function* wrongCopies(
  db: Db,
  objects: ObjectStore,
  { each, from }: { readonly each: number; readonly from: number },
): AsyncGenerator<WrongCopy> {
  for (const { run: row, ...written } of inPart(db).all(each, from)) {
    const run = findRun(db, row);
    if (run === undefined) continue;
    const name = manifestName(run.startedAt, run.run);
    const fault = await verifyFile(objects, name, written);
    if (fault !== undefined) yield { run: row, name, fault };
  }
}

/** Writes the files of every run that has none yet, up to the latest. A store that does not take one is no failure of the run. */
export async function copyManifests({ store, writer, objects }: CopyDeps): Promise<void> {
  const { db } = store;
  for (let [files, last] = [0, 0]; files < MOST_FILES; files++) {
    last = nextRun(db).first(ARCHIVE_JOB, last)?.run ?? 0;
    const run = findRun(db, last);
    if (run === undefined) return;
    const bytes = await linesOf(db, last);
    try {
      await objects.putFile(manifestName(run.startedAt, run.run), bytes);
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      logOf("archive").warn("the manifest of a run could not be written beside its objects", {
        run: run.run,
        reason: error.message,
      });
      return;
    }
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest();
    const row = last;
    await writer.write((tx) => void put(tx).run(row, bytes.length, sha256), { lowPriority: true });
  }
}

/** One line as it is written. */
function lineOf(row: ManifestRow): string {
  const { object, target } = row;
  const path = object === null ? null : pathOfObject(object.sha256);
  return `${JSON.stringify({ ...manifestJson(row), property: target.property, path })}\n`;
}

/** The rows of a run, packed; a few of them are in memory at once. */
async function linesOf(db: Db, run: number): Promise<Uint8Array> {
  const gzip = createGzip({ level: 6 });
  const pieces: Uint8Array[] = [];
  gzip.on("data", (piece: Uint8Array) => void pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    gzip.once("end", resolve);
    gzip.once("error", reject);
  });
  for (let last = 0; ; ) {
    const rows = rowsOfRun(db).all(run, last, SLICE);
    const text = rows.map((row) => lineOf(manifestRow(db, row))).join("");
    if (text !== "" && !gzip.write(text)) await new Promise<void>((resolve) => gzip.once("drain", resolve));
    else await new Promise(setImmediate);
    last = rows.at(-1)?.id ?? last;
    if (rows.length < SLICE) break;
  }
  gzip.end();
  await ended;
  return Buffer.concat(pieces);
}

// An object that was read anew; the fault is undefined where it is whole.

interface LookedAt<O extends StoredObject> {
  readonly object: O;
  readonly fault: ObjectFault | undefined;
}

/** Objects that are read at once: a disk is one, a bucket is far away. */
const AT_ONCE = { directory: 2, s3: 8 } as const;

/**
 * Reads objects anew, in their order, a few at once; memory grows neither with them nor with their size. Throws `StoreFault` where the
 * store cannot be used.
 */
export async function* readObjects<O extends StoredObject>(
  store: ObjectStore,
  objects: Iterable<O>,
): AsyncGenerator<LookedAt<O>> {
  const under: Promise<LookedAt<O>>[] = [];
  const look = async (object: O) => ({ object, fault: await verifyObject(store, object) });
  for (const object of objects) {
    const looking = look(object);
    // What fails is thrown in its turn.
    looking.catch(() => undefined);
    under.push(looking);
    const next = under.length < AT_ONCE[store.kind] ? undefined : under.shift();
    if (next !== undefined) yield await next;
  }
  for (const looking of under) yield await looking;
}

// Everything that the archive holds, read anew and held against what the manifest says of it.

/** A report that an object is of. */
interface NamedReport {
  readonly asset: string;
  readonly provider: string;
  readonly family: string;
  /** `2026-11-18` of the provider's calendar. */
  readonly date: string;
}

/** An object that is not as the manifest says. */
export interface WrongObject {
  readonly sha256: string;
  readonly fault: ObjectFault;
  /** The reports that it is of, the newest first, at most `MOST_REPORTS` … */
  readonly reports: readonly NamedReport[];
  /** … and whether there are more. */
  readonly isOfMore: boolean;
}

/** What reading everything anew came to. */
export interface Verification {
  /** Objects that the manifest names and that were read, and their bytes as they are stored. */
  readonly objects: number;
  readonly storedBytes: number;
  readonly damaged: number;
  /** The damaged ones by name, at most `MOST_NAMED`. */
  readonly wrong: readonly WrongObject[];
  /** Files of the manifest beside the objects that are not as they were written. */
  readonly copies: readonly WrongCopy[];
  /** Rows of the manifest whose object has no row. */
  readonly unnamed: readonly number[];
  /** Objects that no row names. They are no damage: a put that was cut off before its row leaves one. */
  readonly orphans: number;
  /** What objects that were cut off left. */
  readonly halfWritten: readonly string[];
}

/** One step of it: an object that was read, with how far that is; at last what all of it came to. */
type VerifyStep =
  | {
      readonly sha256: string;
      readonly fault: ObjectFault | undefined;
      readonly done: number;
      readonly of: number;
    }
  | { readonly verification: Verification };

const MOST_REPORTS = 5;
const MOST_NAMED = 1_000;

const objectRows = statement<{ n: number }, []>("SELECT count(*) AS n FROM archive_object");
const withoutObject = statement<{ id: number }, [number]>(
  `SELECT id FROM archive_report WHERE object IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM archive_object o WHERE o.id = archive_report.object) LIMIT ?`,
);

/**
 * Reads every object that the manifest names, and looks for what it does not. Reads only; for a worker, or a process of its own: what
 * it asks the database is asked at once. Throws `StoreFault`.
 */
export async function* verifySteps(db: Db, store: ObjectStore): AsyncGenerator<VerifyStep> {
  const of = objectRows(db).first()?.n ?? 0;
  const wrong: WrongObject[] = [];
  let [done, storedBytes, damaged] = [0, 0, 0];
  for await (const { object, fault } of readObjects(store, objectsNamed(db))) {
    done++;
    storedBytes += object.storedBytes;
    if (fault !== undefined && ++damaged <= MOST_NAMED) wrong.push(namedWrong(db, object.sha256, fault));
    yield { sha256: object.sha256, fault, done, of };
  }
  let orphans = 0;
  for await (const { sha256 } of store.list()) if (findObject(db, sha256) === undefined) orphans++;
  const verification = {
    objects: done,
    storedBytes,
    damaged,
    wrong,
    copies: await Array.fromAsync(wrongCopies(db, store, { each: 1, from: 0 })),
    unnamed: withoutObject(db)
      .all(MOST_NAMED)
      .map(({ id }) => id),
    orphans,
    halfWritten: await Array.fromAsync(store.halfWritten()),
  };
  yield { verification };
}

/** As `verifySteps`, for whoever waits for its end. Throws `StoreFault`. */
export async function verifyArchive(db: Db, store: ObjectStore): Promise<Verification> {
  for await (const step of verifySteps(db, store)) if ("verification" in step) return step.verification;
  throw new Error("verifying ended before it was done");
}

function namedWrong(db: Db, sha256: string, fault: ObjectFault): WrongObject {
  const reports = reportsOfObject(db, sha256, MOST_REPORTS + 1);
  return {
    sha256,
    fault,
    reports: reports.slice(0, MOST_REPORTS).map(nameOf),
    isOfMore: reports.length > MOST_REPORTS,
  };
}

const nameOf = ({ target: { asset, provider, family }, date }: ManifestRow): NamedReport => ({
  asset,
  provider,
  family,
  date: dayOfNumber(date),
});
