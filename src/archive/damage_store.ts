/** Objects that were found damaged or missing, until they are found whole again; the monitoring failure lasts as long. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import { noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { OBJECT_FAULTS, type ObjectFault } from "../objects/contract.ts";
import { copyAnew } from "./manifest_copy.ts";

/** Damages that are kept: where more is lost it is no matter of single objects. */
const MOST_KEPT = 10_000;

/** An object that is not as it was. Times are milliseconds since the epoch: when it was first found so, and when last. */
export interface Damage {
  readonly sha256: string;
  readonly fault: ObjectFault;
  readonly foundAt: number;
  readonly seenAt: number;
}

interface DamageRow {
  readonly sha256: string;
  readonly fault: string;
  readonly found_at: number;
  readonly seen_at: number;
}

const one = statement<{ fault: string }, [string]>("SELECT fault FROM archive_damage WHERE sha256 = ?");
const known = statement<DamageRow, [string]>(
  "SELECT sha256, fault, found_at, seen_at FROM archive_damage WHERE sha256 = ?",
);
const every = statement<DamageRow, [number]>(
  "SELECT sha256, fault, found_at, seen_at FROM archive_damage ORDER BY found_at DESC, sha256 LIMIT ?",
);
const counted = statement<{ n: number }, []>("SELECT count(*) AS n FROM archive_damage");
const put = statement<never, [string, string, number, number]>(
  `INSERT INTO archive_damage (sha256, fault, found_at, seen_at) VALUES (?, ?, ?, ?)
   ON CONFLICT (sha256) DO UPDATE SET fault = excluded.fault, seen_at = excluded.seen_at`,
);
const end = statement<never, [string]>("DELETE FROM archive_damage WHERE sha256 = ?");

/** What is watched of the archive's objects. */
export const WHOLE_OBJECTS = { kind: "archive", asset: "", source: "", subject: "" } as const;

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
export interface Looked {
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
export function noteLooked(tx: Tx, { damaged, whole, copies = [] }: Looked, now: number): void {
  for (const run of copies) copyAnew(tx, run);
  const room = MOST_KEPT - countDamage(tx);
  const kept = damaged.filter(({ sha256 }, place) => place < room || isDamaged(tx, sha256));
  for (const { sha256, fault } of kept) put(tx).run(sha256, fault, now, now);
  for (const sha256 of whole) end(tx).run(sha256);
  const left = countDamage(tx);
  if (left === 0) noteRecovery(tx, WHOLE_OBJECTS, now);
  else noteFailure(tx, WHOLE_OBJECTS, { reason: reasonOf(left), now });
}

/** Notes one object that was found damaged or missing. */
export function noteDamage(tx: Tx, sha256: string, fault: ObjectFault, now: number): void {
  noteLooked(tx, { damaged: [{ sha256, fault }], whole: [] }, now);
}

/** Notes that an object is whole again: it was stored anew, or put back. */
export function noteWhole(tx: Tx, sha256: string, now: number): void {
  if (isDamaged(tx, sha256)) noteLooked(tx, { damaged: [], whole: [sha256] }, now);
}

function reasonOf(count: number): string {
  if (count === 1) return "One object of the archive is damaged or missing.";
  const words = count >= MOST_KEPT ? `${MOST_KEPT} or more` : String(count);
  return `${words} objects of the archive are damaged or missing.`;
}
