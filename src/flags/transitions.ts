/**
 * What an operator may do with a flag, as pure decisions. Decided here, where the specification is silent: an open flag takes
 * every act. A resolved flag is history: it is never reopened, read, snoozed or resolved again, but an incident, a hypothesis
 * and the note that its rule was tuned may still be written on it, because what a flag meant is often learnt afterwards.
 */
import type { FlagStatus } from "./contract.ts";
import { snoozeRuns } from "./snooze_until.ts";

/** What a decision looks at. Times are milliseconds since the epoch. */
export interface Standing {
  readonly status: FlagStatus;
  readonly resolution: string | null;
  readonly acked_by: string | null;
  readonly snoozed_until: number | null;
  readonly incident: string | null;
  readonly hypothesis: string | null;
}

/** The columns an act may set. */
export interface FlagChange {
  readonly status?: "resolved";
  readonly resolved_at?: number;
  readonly resolution?: string;
  readonly acked_at?: number | null;
  readonly acked_by?: string | null;
  readonly snoozed_until?: number | null;
  readonly tuned_at?: number | null;
  readonly incident?: string | null;
  readonly hypothesis?: string | null;
}

/** Why an act is not possible. */
export type Refusal = "resolved" | "acknowledged" | "renewed";

export type Transition =
  | { readonly state: "allowed"; readonly set: FlagChange }
  /** The flag is already as asked. */
  | { readonly state: "same" }
  | { readonly state: "refused"; readonly reason: Refusal };

/** The resolution of a flag that an operator resolved by hand. */
const RESOLVED_BY_HAND = "operator";

const SAME: Transition = { state: "same" };
const RESOLVED: Transition = { state: "refused", reason: "resolved" };

/** Marks as read. */
export function acknowledging(flag: Standing, who: string, now: number): Transition {
  if (flag.status === "resolved") return RESOLVED;
  if (flag.acked_by === who) return SAME;
  if (flag.acked_by !== null) return { state: "refused", reason: "acknowledged" };
  return { state: "allowed", set: { acked_at: now, acked_by: who } };
}

/** Takes the mark back; any operator may. */
export function unacknowledging(flag: Standing): Transition {
  if (flag.status === "resolved") return RESOLVED;
  if (flag.acked_by === null) return SAME;
  return { state: "allowed", set: { acked_at: null, acked_by: null } };
}

/** Puts away until an instant, which the caller has judged (see `readUntil`). A running snooze may be moved. */
export function snoozing(flag: Standing, until: number): Transition {
  if (flag.status === "resolved") return RESOLVED;
  if (flag.snoozed_until === until) return SAME;
  return { state: "allowed", set: { snoozed_until: until } };
}

/** Ends a running snooze by hand. One that has run out needs no waking. */
export function waking(flag: Standing, now: number): Transition {
  if (flag.status === "resolved") return RESOLVED;
  if (!isSnoozed(flag, now)) return SAME;
  return { state: "allowed", set: { snoozed_until: null } };
}

/** Links an incident: a reference or what happened. Also on a resolved flag. */
export function linkingIncident(flag: Standing, text: string): Transition {
  return flag.incident === text ? SAME : { state: "allowed", set: { incident: text } };
}

/** Takes the incident off; its text stays in the record. */
export function unlinkingIncident(flag: Standing): Transition {
  return flag.incident === null ? SAME : { state: "allowed", set: { incident: null } };
}

/** Notes a hypothesis. Also on a resolved flag. */
export function notingHypothesis(flag: Standing, text: string): Transition {
  return flag.hypothesis === text ? SAME : { state: "allowed", set: { hypothesis: text } };
}

/** Takes the hypothesis off; its text stays in the record. */
export function droppingHypothesis(flag: Standing): Transition {
  return flag.hypothesis === null ? SAME : { state: "allowed", set: { hypothesis: null } };
}

/** Notes that the rule was tuned because of this flag. Also on a resolved flag: a flow flag lives only until the next reading. */
export function tuning(now: number): Transition {
  return { state: "allowed", set: { tuned_at: now } };
}

/** Resolves by hand. A rule whose condition still holds raises a new flag at its next run. */
export function resolving(flag: Standing, now: number): Transition {
  if (flag.status === "resolved") return flag.resolution === RESOLVED_BY_HAND ? SAME : RESOLVED;
  return { state: "allowed", set: { status: "resolved", resolved_at: now, resolution: RESOLVED_BY_HAND } };
}

/** Whether a snooze runs. It ends by itself: nothing is written when its time is over. */
export function isSnoozed(flag: Pick<Standing, "status" | "snoozed_until">, now: number): boolean {
  return flag.status === "open" && flag.snoozed_until !== null && snoozeRuns(flag.snoozed_until, now);
}
