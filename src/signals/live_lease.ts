/** The leases of the questions about traffic. Plain statements: a watched page runs them twice a minute. */

import type { HourlyReport, Realtime } from "../providers/adapter.ts";
import type { Fault } from "../providers/faults.ts";
import { replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { liveLease } from "./tables.ts";

/** Realtime counts and the core report by the hour: each has a quota, a cooldown and failures of its own. */
export const LIVE_KINDS = ["realtime", "hourly"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** What each kind tells. */
export interface LiveValues {
  readonly realtime: Realtime;
  readonly hourly: HourlyReport;
}

/** The property a site's traffic is asked of, under which connection. */
export interface LiveSource {
  readonly credential: string;
  readonly connectionRevision: string;
  /** The provider's own id. */
  readonly property: string;
}

/** A question that came to nothing. */
interface LiveFailure extends Pick<Fault, "category" | "code"> {
  readonly at: number;
}

/** One part of the panel. A failure never takes a value away. */
export interface LiveFeed<Value> {
  readonly value: Value | null;
  /** When the value was seen; kept when the value itself was lost with a restart. Null where nothing was ever seen. */
  readonly seenAt: number | null;
  /** The last question, where it failed; null where it came off or none was asked. */
  readonly failure: LiveFailure | null;
  /** The provider is not asked before this moment; null where nothing keeps it from being asked. */
  readonly nextAt: number | null;
  /** A question is under way. */
  readonly asking: boolean;
  /** An operator paused it: nobody is asked, however long somebody looks. */
  readonly isPaused: boolean;
  /** False where the last question ended, and what came of it could not be recorded as health. */
  readonly isMonitored: boolean;
}

/** What the panel of a site shows. */
export type LiveView =
  | { readonly state: "not-connected" | "retired" }
  | {
      readonly state: "watched";
      readonly realtime: LiveFeed<Realtime>;
      readonly hourly: LiveFeed<HourlyReport>;
    };

/** What is asked, of whom. */
export interface Question {
  readonly asset: string;
  readonly kind: LiveKind;
  readonly source: LiveSource;
}

/** A lease as it stands. Times are milliseconds since the epoch. */
export interface Lease {
  readonly holder: string;
  readonly takenAt: number;
  readonly heldUntil: number;
  readonly seenAt: number | null;
  readonly failure: LiveFailure | null;
}

type Row = Pick<
  typeof liveLease.$inferSelect,
  "holder" | "taken_at" | "held_until" | "seen_at" | "failed_at" | "category" | "code"
>;

const leaseOf = statement<Row, [string, string, string, string]>(
  `SELECT holder, taken_at, held_until, seen_at, failed_at, category, code FROM live_lease
   WHERE asset = ? AND kind = ? AND connection_revision = ? AND property = ?`,
);

const take = replacing(liveLease);

const end = statement<
  never,
  [number, number | null, number | null, string | null, string | null, string, string, string]
>(
  `UPDATE live_lease SET held_until = ?, seen_at = ?, failed_at = ?, category = ?, code = ?
   WHERE asset = ? AND kind = ? AND holder = ?`,
);

/** The lease of a question; undefined where it was never asked of this property under this connection. */
export function findLease(db: Db, { asset, kind, source }: Question): Lease | undefined {
  const row = leaseOf(db).first(asset, kind, source.connectionRevision, source.property);
  if (row === undefined) return undefined;
  const { failed_at: at, category, code } = row;
  return {
    holder: row.holder,
    takenAt: row.taken_at,
    heldUntil: row.held_until,
    seenAt: row.seen_at,
    failure: at === null || category === null || code === null ? null : { at, category, code },
  };
}

/** A question that was asked, by whatever connection. */
export interface AskedQuestion {
  readonly asset: string;
  readonly kind: LiveKind;
  readonly connectionRevision: string;
  readonly property: string;
  /** When it was last asked, in milliseconds since the epoch. */
  readonly takenAt: number;
}

const everyLease = statement<AskedQuestion, []>(
  "SELECT asset, kind, connection_revision AS connectionRevision, property, taken_at AS takenAt FROM live_lease ORDER BY asset, kind",
);

/** Every question that was ever asked of a site's traffic, the last of each kind. */
export function listAskedQuestions(db: Db): AskedQuestion[] {
  return everyLease(db).all();
}

/** Whether a lease keeps everybody from asking. One that was taken in the future is of a clock that was set back, and holds nothing. */
export function isHeld(lease: Lease, now: number): boolean {
  return lease.takenAt <= now && now < lease.heldUntil;
}

/** Takes the lease of a question up to a moment. Answers the one that stands where it is held. */
export function takeLease(
  tx: Tx,
  question: Question,
  by: { readonly holder: string; readonly now: number; readonly until: number },
): Lease | undefined {
  const { asset, kind, source } = question;
  const stands = findLease(tx, question);
  if (stands !== undefined && isHeld(stands, by.now)) return stands;
  const { seenAt = null, failure = null } = stands ?? {};
  take(tx, {
    asset,
    kind,
    connection_revision: source.connectionRevision,
    property: source.property,
    holder: by.holder,
    taken_at: by.now,
    held_until: by.until,
    seen_at: seenAt,
    failed_at: failure?.at ?? null,
    category: failure?.category ?? null,
    code: failure?.code ?? null,
  });
  return undefined;
}

/** Ends a question with what came of it; nothing where another one has taken the lease since. */
export function endLease(
  tx: Tx,
  { asset, kind }: Question,
  ended: Pick<Lease, "holder" | "heldUntil" | "seenAt" | "failure">,
): void {
  const { holder, heldUntil, seenAt, failure } = ended;
  end(tx).run(
    heldUntil,
    seenAt,
    failure?.at ?? null,
    failure?.category ?? null,
    failure?.code ?? null,
    asset,
    kind,
    holder,
  );
}
