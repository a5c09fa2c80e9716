/** Everything that the archive holds, read anew and held against what the manifest says of it. */
import { type Db, statement } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import type { ObjectFault, ObjectStore } from "../objects/contract.ts";
import type { ManifestRow } from "./contract.ts";
import { lookAtObjects } from "./look_at_objects.ts";
import { type WrongCopy, wrongCopies } from "./manifest_copy.ts";
import { reportsOfObject } from "./manifest_store.ts";
import { findObject, objectsNamed } from "./object_row_store.ts";

/** A report that an object is of. */
export interface NamedReport {
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
export type VerifyStep =
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
  for await (const { object, fault } of lookAtObjects(store, objectsNamed(db))) {
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
