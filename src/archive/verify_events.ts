/** Reading objects anew, as it is told while it goes on. */

import type { Config } from "../base/config.ts";
import { noteFailure, noteRecovery } from "../health/monitoring.ts";
import { OBJECT_FAULTS, type ObjectFault, type ObjectStore, type StoreFaultKind } from "../store/objects.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { archiveDamage } from "./archive_tables.ts";
import {
  copyAnew,
  readObjects,
  type Verification,
  verifySteps,
  type WrongCopy,
  wrongCopies,
} from "./manifest_copy.ts";
import { findObject, type NumberedObject, objectsBetween } from "./objects.ts";

// Objects that were found damaged or missing, until they are found whole again; the monitoring failure lasts as long.

/** Damages that are kept: where more is lost it is no matter of single objects. */
const MOST_KEPT = 10_000;

/** An object that is not as it was. Times are milliseconds since the epoch: when it was first found so, and when last. */
export interface Damage {
  readonly sha256: string;
  readonly fault: ObjectFault;
  readonly foundAt: number;
  readonly seenAt: number;
}

type DamageRow = typeof archiveDamage.$inferSelect;

const one = statement<{ fault: string }, [string]>("SELECT fault FROM archive_damage WHERE sha256 = ?");
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
  return one(db).first(sha256) !== undefined;
}

/** The damaged objects, the one found last first. */
export function listDamage(db: Db, limit = 1_000): Damage[] {
  return every(db).all(limit).map(damageOf);
}

const damageOf = ({ sha256, fault, found_at, seen_at }: DamageRow): Damage => ({
  sha256,
  fault: OBJECT_FAULTS.find((one) => one === fault) ?? "unreadable",
  foundAt: found_at,
  seenAt: seen_at,
});

/** What one object was found to be; undefined where it was found whole, or was not looked at since. */
export function findDamage(db: Db, sha256: string): Damage | undefined {
  const row = known(db).first(sha256);
  return row === undefined ? undefined : damageOf(row);
}

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

// Which objects are read anew in which hour: by their names, so that each has its turn once a week. Pure.

const HOUR_MS = 3_600_000;
const HOURS_OF_WEEK = 168;
/** Values of the two bytes that a name begins with. */
const BEGINNINGS = 65_536;
/** Hours that one run makes up beside its own: after a week's rest all is read again within two days. */
const MOST_HOURS = 4;

/** The hour of a moment, counted since the epoch. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The place of an hour in its week. */
const slotOf = (hour: number): number => ((hour % HOURS_OF_WEEK) + HOURS_OF_WEEK) % HOURS_OF_WEEK;

/** The names of an hour: from one text of hexadecimal digits up to another. */
export function namesOf(hour: number): { readonly from: string; readonly to: string } {
  const slot = slotOf(hour);
  const edge = (of: number) => Math.ceil((of * BEGINNINGS) / HOURS_OF_WEEK);
  return { from: written(edge(slot)), to: written(edge(slot + 1)) };
}

/** Two bytes; one more than the last is said by three, which come after every name. */
const written = (edge: number) =>
  edge === BEGINNINGS ? "ff".repeat(33) : edge.toString(16).padStart(4, "0");

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
export type VerifyScope =
  | { readonly what: "everything" }
  | { readonly what: "hour"; readonly hour: number | undefined; readonly damaged: boolean };

/** What is told, in this order: what was found of a few objects, again and again; at last what all of it came to. */
export type VerifyEvent =
  | { readonly looked: Looked; readonly done: number; readonly of: number | undefined }
  | { readonly verification: Verification }
  | { readonly storeFault: StoreFaultKind; readonly where: string; readonly why: string }
  | { readonly brokeOff: string };

/** Where a worker finds what it needs. */
export interface WorkerQuestion {
  readonly question: VerifyScope;
  readonly path: string;
  readonly archive: Pick<Config, "rawSignals" | "s3">;
}

/** Objects that are told of at once. */
const AT_ONCE = 64;
/** Damaged objects that are looked at again every hour. */
const MOST_DAMAGED = 500;

/** Reads and tells. Throws `StoreFault`. */
export async function* verifyObjects(
  db: Db,
  objects: ObjectStore,
  question: VerifyScope,
): AsyncGenerator<VerifyEvent> {
  yield* question.what === "everything" ? verifyEverything(db, objects) : verifyHour(db, objects, question);
}

type HourQuestion = Extract<VerifyScope, { readonly what: "hour" }>;

async function* verifyHour(
  db: Db,
  objects: ObjectStore,
  question: HourQuestion,
): AsyncGenerator<VerifyEvent> {
  const batch = new Batch(db);
  for await (const { object, fault } of readObjects(objects, dueObjects(db, question))) {
    batch.add(object.sha256, fault);
    if (batch.isFull) yield batch.told();
  }
  const { hour } = question;
  if (hour === undefined) return yield batch.told();
  const part = { each: HOURS_OF_WEEK, from: slotOf(hour) };
  yield batch.told(undefined, await Array.fromAsync(wrongCopies(db, objects, part)));
}

function* dueObjects(db: Db, { hour, damaged }: HourQuestion): Generator<NumberedObject> {
  for (const { sha256 } of damaged ? listDamage(db, MOST_DAMAGED) : []) {
    const object = findObject(db, sha256);
    if (object !== undefined) yield object;
  }
  if (hour === undefined) return;
  const { from, to } = namesOf(hour);
  yield* objectsBetween(db, from, to);
}

async function* verifyEverything(db: Db, objects: ObjectStore): AsyncGenerator<VerifyEvent> {
  const batch = new Batch(db);
  for await (const step of verifySteps(db, objects)) {
    if ("verification" in step) {
      yield batch.told(undefined, step.verification.copies);
      yield step;
    } else {
      batch.add(step.sha256, step.fault);
      if (batch.isFull) yield batch.told(step.of);
    }
  }
}

/** Objects that were read and not told of yet. */
class Batch {
  readonly #db: Db;
  #damaged: { sha256: string; fault: ObjectFault }[] = [];
  #whole: string[] = [];
  #waiting = 0;
  #done = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  get isFull(): boolean {
    return this.#waiting >= AT_ONCE;
  }

  add(sha256: string, fault: ObjectFault | undefined): void {
    this.#waiting++;
    this.#done++;
    if (fault !== undefined) this.#damaged.push({ sha256, fault });
    else if (isDamaged(this.#db, sha256)) this.#whole.push(sha256);
  }

  told(of?: number, wrong: readonly WrongCopy[] = []): VerifyEvent {
    const copies = wrong.map(({ run }) => run);
    const looked = { damaged: this.#damaged, whole: this.#whole, copies };
    [this.#damaged, this.#whole, this.#waiting] = [[], [], 0];
    return { looked, done: this.#done, of };
  }
}
