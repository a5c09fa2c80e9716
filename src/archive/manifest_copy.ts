/**
 * The rows of each run as a file beside the objects, so that who can read the archive's place needs no Tower: one line of JSON a row, as
 * the read API tells it, with the property and the object's path. What could not be written is made up by the next run.
 */

import { createGzip } from "node:zlib";
import { logOf } from "../base/log.ts";
import { dayOfNumber, formatInstant, utcDayOf } from "../base/time.ts";
import type { Core } from "../store/core.ts";
import { findRun } from "../store/job_runs.ts";
import { verifyFile } from "../store/object_check.ts";
import { type ObjectFault, type ObjectStore, pathOfObject, StoreFault } from "../store/objects.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { JOINED, type JoinedRow, manifestRow, OF_RUN } from "./manifest.ts";
import type { ManifestRow } from "./manifest_row.ts";
import { ARCHIVE_JOB } from "./plan.ts";

/** What is wrong with an object, as the rest of a sentence that begins with it. */
export const FAULT_WORDS: Readonly<Record<ObjectFault, string>> = {
  missing: "is missing",
  length: "is not as long as it was stored",
  stored_digest: "was changed around what it holds",
  unreadable: "cannot be read",
  digest: "does not hold what it is named for",
};

// A row of the manifest as the read API tells it (decisions, Reading over the API).

export function manifestJson(row: ManifestRow) {
  const { target, date, rangeFrom, object } = row;
  return {
    id: row.id,
    run: row.run,
    asset: target.asset,
    provider: target.provider,
    connection_revision: target.connectionRevision,
    family: target.family,
    date: dayOfNumber(date),
    range: rangeFrom === null ? null : { from: dayOfNumber(rangeFrom), to: dayOfNumber(date) },
    attempted_at: formatInstant(row.attemptedAt),
    outcome: row.outcome,
    category: row.category,
    failure_code: row.failureCode,
    object: object?.sha256 ?? null,
    bytes: object?.bytes ?? null,
    stored_bytes: object?.storedBytes ?? null,
    rows: object?.rows ?? null,
    complete: row.complete,
    annotations: row.notes,
  };
}

/** Files written at the end of one run at most: the rest is made up by the runs after it. */
const MOST_FILES = 64;
const SLICE = 256;

const nextRun = statement<{ run: number | null }, [string, number]>(
  `SELECT min(id) AS run FROM job_run WHERE job = ? AND id > ? AND NOT EXISTS (SELECT 1 FROM archive_copy c WHERE c.run = job_run.id)
     AND EXISTS (SELECT 1 FROM archive_run r WHERE r.run = job_run.id)`,
);
const put = statement<never, [number, number, Uint8Array]>(
  "INSERT INTO archive_copy (run, bytes, sha256) VALUES (?, ?, ?)",
);
const drop = statement<never, [number | null]>("DELETE FROM archive_copy WHERE run = coalesce(?, run)");
const inPart = statement<{ run: number; bytes: number; sha256: Uint8Array }, [number, number]>(
  "SELECT run, bytes, sha256 FROM archive_copy WHERE run % ? = ? ORDER BY run",
);
const rowsOfRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE ${OF_RUN} AND r.id > ? ORDER BY r.id LIMIT ?`,
);

/** The name of a run's file. */
const manifestName = (startedAt: number, run: string): string =>
  `manifest/${utcDayOf(startedAt)}/${run}.ndjson.gz`;

/** Has the file of a run written again by the next run; of all runs where none is named: a restored archive may hold none of them. */
export function copyAnew(tx: Tx, run: number | null = null): void {
  drop(tx).run(run);
}

/** Reads the files of every `each`th run anew, and gives those that are not as they were written, by the run's row in `job_run`. Throws `StoreFault`. */
export async function* wrongCopies(
  db: Db,
  objects: ObjectStore,
  { each, from }: { readonly each: number; readonly from: number },
) {
  for (const { run: row, ...written } of inPart(db).all(each, from)) {
    const run = findRun(db, row);
    if (run === undefined) continue;
    const name = manifestName(run.startedAt, run.run);
    const fault = await verifyFile(objects, name, written);
    if (fault !== undefined) yield { run: row, name, fault };
  }
}

/** Writes the files of every run that has none yet, up to the latest. A store that does not take one is no failure of the run. */
export async function copyManifests(deps: Core & { readonly objects: ObjectStore }): Promise<void> {
  const { store, writer, objects } = deps;
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
