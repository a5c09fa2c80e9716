/**
 * The rows of each run as a file beside the objects, so that who can read the archive's place needs no Tower: one line of JSON a row, as
 * the read API tells it, with the property and the object's path. What could not be written is made up by the next run.
 */
import { createGzip } from "node:zlib";
import { type Db, findServiceState, putServiceState, statement, type Tx, type Writer } from "../db/mod.ts";
import { findRun } from "../jobs/mod.ts";
import { utcDayOf } from "../lib/utc_day.ts";
import type { ObjectStore } from "../objects/contract.ts";
import { pathOfObject, StoreFault } from "../objects/mod.ts";
import { logOf } from "../platform/log.ts";
import type { ManifestRow } from "./contract.ts";
import { manifestJson } from "./manifest_json.ts";
import { JOINED, type JoinedRow, manifestRow } from "./manifest_store.ts";

/** What copying needs. */
export interface CopyDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write">;
  readonly objects: ObjectStore;
}

/** The row of the last run whose file is written. */
const COPIED_TO = "archive.manifest_copied";
/** Files written at the end of one run at most: the rest is made up by the runs after it. */
const MOST_FILES = 64;
const SLICE = 256;

const nextRun = statement<{ run: number | null }, [number]>(
  "SELECT min(run) AS run FROM archive_report WHERE run > ?",
);
const rowsOfRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE r.run = ? AND r.id > ? ORDER BY r.id LIMIT ?`,
);

/** The name of a run's file. */
export const manifestName = (startedAt: number, run: string): string =>
  `manifest/${utcDayOf(startedAt)}/${run}.ndjson.gz`;

/** Has the files of all runs written anew, by the runs to come: the archive of a restored database may hold none of them. */
export function copyManifestsAnew(tx: Tx, now: number): void {
  putServiceState(tx, COPIED_TO, "0", now);
}

/** Writes the files of every run that has none yet, up to the latest. A store that does not take one is no failure of the run. */
export async function copyManifests({ store, writer, objects }: CopyDeps, now: number): Promise<void> {
  const { db } = store;
  for (let files = 0; files < MOST_FILES; files++) {
    const row = nextRun(db).first(Number(findServiceState(db, COPIED_TO) ?? 0))?.run ?? undefined;
    if (row === undefined) return;
    const run = findRun(db, row);
    if (run !== undefined) {
      try {
        await objects.putFile(manifestName(run.startedAt, run.run), await linesOf(db, row));
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
        logOf("archive").warn("the manifest of a run could not be written beside its objects", {
          run: run.run,
          reason: error.message,
        });
        return;
      }
    }
    await writer.write((tx) => putServiceState(tx, COPIED_TO, String(row), now), { behind: true });
  }
}

/** One line as it is written. */
export function lineOf(row: ManifestRow): string {
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
