/** Reading objects anew, as it is told while it goes on. */

import { byteWords, countText, countWords } from "../base/text.ts";
import { dayOfNumber, HOUR_MS } from "../base/time.ts";
import { noteFailure, noteRecovery } from "../health/monitoring.ts";
import { verifyObject } from "../store/object_check.ts";
import type { ObjectFault, ObjectStore, StoreFaultKind } from "../store/objects.ts";
import { verifyPack } from "../store/pack.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { archiveDamage } from "./archive_tables.ts";
import { reportsOfObject } from "./manifest.ts";
import { copyAnew, FAULT_WORDS, wrongCopies } from "./manifest_copy.ts";
import { findObject, listPacks, type NumberedObject, objectsIn, objectsNamed } from "./objects.ts";

// Objects that were found damaged or missing, until they are found whole again; the monitoring failure lasts as long.

/** Damages that are kept: where more is lost it is no matter of single objects. */
const MOST_KEPT = 10_000;

/** An object that is not as it was. Times are milliseconds since the epoch: when it was first found so, and when last. */
type DamageRow = typeof archiveDamage.$inferSelect;

const known = statement<DamageRow, [string]>(
  `SELECT ${columnsOf(archiveDamage)} FROM archive_damage WHERE sha256 = ?`,
);
const every = statement<DamageRow, [number]>(
  `SELECT ${columnsOf(archiveDamage)} FROM archive_damage ORDER BY found_at DESC, sha256 LIMIT ?`,
);
const counted = statement<{ n: number }, []>("SELECT count(*) AS n FROM archive_damage");
const put = replacing(archiveDamage, ["found_at"]);
const end = statement<never, [string]>("DELETE FROM archive_damage WHERE sha256 = ?");

/** What is watched of the archive's objects. */
const WHOLE_OBJECTS = { kind: "archive", asset: "", source: "", subject: "" } as const;

/** Whether an object was found damaged or missing, and not whole since: what is fetched again is then stored anew. */
export function isDamaged(db: Db, sha256: string): boolean {
  return findDamage(db, sha256) !== undefined;
}

/** The damaged objects, the one found last first. */
export const listDamage = (db: Db, limit = 1_000): DamageRow[] => every(db).all(limit);

/** What one object was found to be; undefined where it was found whole, or was not looked at since. */
export const findDamage = (db: Db, sha256: string): DamageRow | undefined => known(db).first(sha256);

export function countDamage(db: Db): number {
  return counted(db).first()?.n ?? 0;
}

/** What looking at objects came to: those that are damaged, and those that are whole. */
interface Looked {
  readonly damaged: readonly { readonly sha256: string; readonly fault: ObjectFault }[];
  /** Only those that are noted as damaged have to be among them. */
  readonly whole: readonly string[];
  /** Runs (rows of `job_run`) whose manifest file beside the objects is not as it was written. */
  readonly copies?: readonly number[];
}

/** Whether there is nothing to note. */
export const isNothing = ({ damaged, whole, copies = [] }: Looked): boolean =>
  damaged.length + whole.length + copies.length === 0;

/**
 * Notes what objects were found to be; the failure begins with the first damage and ends with the last. Damaged manifest files are
 * written again by the next run.
 */
export function recordLooked(tx: Tx, { damaged, whole, copies = [] }: Looked, now: number): void {
  for (const run of copies) copyAnew(tx, run);
  const room = MOST_KEPT - countDamage(tx);
  const kept = damaged.filter(({ sha256 }, place) => place < room || isDamaged(tx, sha256));
  for (const { sha256, fault } of kept) put(tx, { sha256, fault, found_at: now, seen_at: now });
  for (const sha256 of whole) end(tx).run(sha256);
  const left = countDamage(tx);
  if (left === 0) noteRecovery(tx, WHOLE_OBJECTS, now);
  else noteFailure(tx, WHOLE_OBJECTS, { reason: reasonOf(left), now });
}

/** Notes one object that was found damaged or missing. */
export function noteDamage(tx: Tx, sha256: string, fault: ObjectFault, now: number): void {
  recordLooked(tx, { damaged: [{ sha256, fault }], whole: [] }, now);
}

/** Notes that an object is whole again: it was stored anew, or put back. */
export function noteWhole(tx: Tx, sha256: string, now: number): void {
  if (isDamaged(tx, sha256)) recordLooked(tx, { damaged: [], whole: [sha256] }, now);
}

function reasonOf(count: number): string {
  if (count === 1) return "One object of the archive is damaged or missing.";
  const words = count >= MOST_KEPT ? `${MOST_KEPT} or more` : String(count);
  return `${words} objects of the archive are damaged or missing.`;
}

// What is read anew in which hour: by the numbers of rows, so that all of it has its turn once a week. Pure.

const HOURS_OF_WEEK = 168;
/** Every so many rows, or slices of them, from which one on. */
type Part = { readonly each: number; readonly from: number };
/** Hours that one run makes up beside its own: after a week's rest all is read again within two days. */
const MOST_HOURS = 4;

/** The hour of a moment, counted since the epoch. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/**
 * The hours that are due: from the one after the last that was read, the oldest first, not more than a few. Those of more than a week
 * ago have had their turn again since. Where the clock was set back, the hour it is.
 */
export function dueHours(last: number | undefined, now: number): number[] {
  const hour = hourOf(now);
  const from = last === undefined || last > hour ? hour : Math.max(last + 1, hour - HOURS_OF_WEEK + 1);
  return Array.from({ length: Math.min(hour - from + 1, MOST_HOURS) }, (_, place) => from + place);
}

/** What is to be read: everything; or what has its turn in an hour, and what was damaged when it was last looked at. */
export type VerifyScope = "everything" | { readonly hour: number | undefined; readonly damaged: boolean };

/** What is told, in this order: what was found of a few objects, again and again; at last what all of it came to. */
export type VerifyEvent =
  | { readonly looked: Looked }
  | { readonly verification: Verification }
  | { readonly storeFault: StoreFaultKind; readonly where: string; readonly why: string }
  | { readonly brokeOff: string };

/** Objects that are told of at once. */
const AT_ONCE = 64;
/** Damaged objects that are looked at again every hour. */
const MOST_DAMAGED = 500;
const MOST_REPORTS = 5;
const MOST_NAMED = 1_000;

const withoutObject = statement<{ id: number }, [number]>(
  `SELECT id FROM archive_report WHERE object IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM archive_object o WHERE o.id = archive_report.object) LIMIT ?`,
);

/**
 * Reads objects and tells what it finds; of everything also what the manifest does not name. Reads only; for a worker, or a process of its
 * own: what it asks the database is asked at once. Throws `StoreFault`.
 */
export async function* verifyObjects(
  db: Db,
  store: ObjectStore,
  scope: VerifyScope,
): AsyncGenerator<VerifyEvent> {
  const isAll = scope === "everything";
  const wrong: WrongObject[] = [];
  let [done, storedBytes, damaged] = [0, 0, 0];
  const nothing = () => ({ damaged: [] as { sha256: string; fault: ObjectFault }[], whole: [] as string[] });
  let looked = nothing();
  const part = isAll
    ? { each: 1, from: 0 }
    : { each: HOURS_OF_WEEK, from: (scope.hour ?? 0) % HOURS_OF_WEEK };
  const isPartDue = isAll || scope.hour !== undefined;
  const loose = inOrder(store, looseObjects(db, scope, isPartDue ? part : undefined), (object) =>
    verifyObject(store, object).then((fault) => [{ object, fault }]),
  );
  const packed = inOrder(store, isPartDue ? listPacks(db, part) : [], (pack) =>
    verifyPack(store, pack, objectsIn(db, pack.id)),
  );
  for (const read of [loose, packed]) {
    for await (const found of read) {
      for (const { object, fault } of found) {
        const { sha256 } = object;
        storedBytes += object.storedBytes;
        if (fault !== undefined) {
          looked.damaged.push({ sha256, fault });
          if (++damaged <= MOST_NAMED && isAll) wrong.push(namedWrong(db, sha256, fault));
        } else if (isDamaged(db, sha256)) looked.whole.push(sha256);
        if (++done % AT_ONCE > 0) continue;
        yield { looked };
        looked = nothing();
      }
    }
  }
  const copies = isPartDue ? await Array.fromAsync(wrongCopies(db, store, part)) : [];
  yield { looked: { ...looked, copies: copies.map(({ run }) => run) } };
  if (!isAll) return;
  let orphans = 0;
  for await (const { sha256 } of store.list()) if (findObject(db, sha256) === undefined) orphans++;
  yield {
    verification: {
      objects: done,
      stored_bytes: storedBytes,
      damaged,
      wrong,
      wrong_manifest_files: copies.map(({ name, fault }) => ({ name, fault })),
      unnamed_rows: withoutObject(db)
        .all(MOST_NAMED)
        .map(({ id }) => id),
      orphans,
      half_written: await Array.fromAsync(store.halfWritten()),
    },
  };
}

/** As `verifyObjects` of everything, for whoever waits for its end. Throws `StoreFault`. */
export async function verifyArchive(db: Db, store: ObjectStore): Promise<Verification> {
  for await (const told of verifyObjects(db, store, "everything")) {
    if ("verification" in told) return told.verification;
  }
  throw new Error("verifying ended before it was done");
}

/** Those known as damaged, and those of a part that lie by themselves: packs are read each as a whole. */
function* looseObjects(db: Db, scope: VerifyScope, part: Part | undefined): Generator<NumberedObject> {
  for (const { sha256 } of scope !== "everything" && scope.damaged ? listDamage(db, MOST_DAMAGED) : []) {
    const object = findObject(db, sha256);
    if (object !== undefined) yield object;
  }
  if (part === undefined) return;
  for (const object of objectsNamed(db, part)) if (object.place === undefined) yield object;
}

/** Objects and packs that are read at once: a disk is one, a bucket is far away. */
const READ_AT_ONCE = { directory: 2, s3: 8 } as const;

/** What work in a store comes to, in the order of its items, a few at once; memory does not grow with them. */
export async function* inOrder<T, R>(
  { kind }: Pick<ObjectStore, "kind">,
  items: Iterable<T>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under: Promise<R>[] = [];
  for (const item of items) {
    const working = work(item);
    // What fails is thrown in its turn.
    working.catch(() => undefined);
    under.push(working);
    const next = under.length < READ_AT_ONCE[kind] ? undefined : under.shift();
    if (next !== undefined) yield await next;
  }
  for (const working of under) yield await working;
}

/** An object that is not as the manifest says, with the newest reports that it is of. */
type WrongObject = ReturnType<typeof namedWrong>;

function namedWrong(db: Db, sha256: string, fault: ObjectFault) {
  const found = reportsOfObject(db, sha256, MOST_REPORTS + 1);
  const reports = found.slice(0, MOST_REPORTS).map(({ target: { asset, provider, family }, date }) => {
    return { asset, provider, family, date: dayOfNumber(date) };
  });
  return { object: sha256, fault, reports, more_reports: found.length > MOST_REPORTS };
}

/** What reading everything came to, as `archive verify --json` prints it. */
export interface Verification {
  /** Objects that the manifest names and that were read, and their bytes as they are stored. */
  readonly objects: number;
  readonly stored_bytes: number;
  readonly damaged: number;
  /** The damaged ones by name, at most `MOST_NAMED`. */
  readonly wrong: readonly WrongObject[];
  /** Files of the manifest beside the objects that are not as they were written. */
  readonly wrong_manifest_files: readonly { readonly name: string; readonly fault: ObjectFault }[];
  /** Rows of the manifest whose object has no row. */
  readonly unnamed_rows: readonly number[];
  /** Objects that no row names. They are no damage: a put that was cut off before its row leaves one. */
  readonly orphans: number;
  /** What objects that were cut off left. */
  readonly half_written: readonly string[];
}

/** What is wrong, one line each; empty where nothing is. */
export function faultLines(found: Verification): string[] {
  const { wrong, damaged, wrong_manifest_files: files, unnamed_rows: rows } = found;
  const more = damaged - wrong.length;
  return [
    ...wrong.map(({ object, fault, reports, more_reports }) => {
      const named = reports.map((one) => `${one.asset} ${one.provider} ${one.family} ${one.date}`).join(", ");
      const of = named === "" ? "" : `: ${named}${more_reports ? " and others" : ""}`;
      return `object ${object} ${FAULT_WORDS[fault]}${of}`;
    }),
    ...(more > 0 ? [`and ${countWords(more, "more object")} like these`] : []),
    ...files.map(({ name, fault }) => {
      const is = fault === "stored_digest" ? "was changed" : FAULT_WORDS[fault];
      return `${name} ${is}: the next run of the archive writes it again`;
    }),
    ...rows.map((id) => `row ${id} of the manifest names an object that has no row`),
  ];
}

/** What is worth knowing and no fault. */
export const noteLines = ({ orphans, half_written }: Verification): string[] => [
  ...(orphans === 0 ? [] : [`${countWords(orphans, "object")} that no row of the manifest names`]),
  ...half_written.map((path) => `half-written, and read by nobody: ${path}`),
];

/** How much was read, in a sentence. */
export const readWords = ({ objects, stored_bytes }: Verification): string =>
  `${countText(objects)} ${objects === 1 ? "object" : "objects"} read, ${byteWords(stored_bytes)}`;
