/** One act of an operator on one flag: decided, appended to its record, written to its row and to the audit, all at once. */
import { type AuditDetail, appendAudit } from "../audit/mod.ts";
import type { Tx } from "../db/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { findLastOfChain } from "./chain_store.ts";
import type { ChainedFlag, FlagRow, RuleInputs } from "./contract.ts";
import { appendRecord, findLastActor, lastRecordId } from "./record_store.ts";
import { changeFlag, findChainedFlag } from "./store.ts";
import type { Refusal, Standing, Transition } from "./transitions.ts";
import { versionOf } from "./version.ts";

/** The acts as their records name them. */
export type ActName =
  | "acknowledge"
  | "unacknowledge"
  | "snooze"
  | "wake"
  | "incident"
  | "unlink_incident"
  | "hypothesis"
  | "drop_hypothesis"
  | "tune"
  | "resolve";

/** Who acts on which flag, and when (milliseconds since the epoch). */
export interface ActRequest {
  readonly id: string;
  /** The operator: their name, and how records and the audit name them (`operator:<name>`). */
  readonly by: { readonly name: string; readonly id: string };
  readonly now: number;
  /** The version of the row that the operator saw; absent when any will do. */
  readonly seen?: string | undefined;
}

/**
 * What came of an act. On a conflict the flag is as it stands now; where it was `renewed` it is the one that tells the thing
 * now, which the operator has not seen yet.
 */
export type ActOutcome =
  | {
      readonly state: "done";
      readonly flag: ChainedFlag;
      /** The id of its entry in the record, by which it can be undone. */
      readonly record: number;
    }
  | { readonly state: "same"; readonly flag: ChainedFlag }
  | { readonly state: "conflict"; readonly reason: Refusal | "changed"; readonly flag: ChainedFlag }
  | { readonly state: "missing" };

/**
 * Performs an act in the caller's transaction. Of two operators the first wins: the second saw an older version and gets a
 * conflict. An act repeated by the same operator (a double click) is no conflict.
 *
 * Decided here: an act on a flag that was renewed meanwhile is refused with the flag that renewed it. To pass it on would be an
 * act on numbers that the operator never saw, and to write it on the old row would lose it. That a rule was tuned is a note
 * about the row it was tuned for, whatever came after.
 */
export function performAct(
  tx: Tx,
  request: ActRequest,
  act: {
    readonly name: ActName;
    readonly decide: (flag: Standing) => Transition;
    /** The operator's own words, for the record. */
    readonly text?: string | undefined;
    /** What else the record says of it. */
    readonly data?: RuleInputs | undefined;
    readonly detail?: AuditDetail | undefined;
  },
): ActOutcome {
  const { id, by, now, seen } = request;
  const flag = findChainedFlag(tx, id);
  if (flag === undefined) return { state: "missing" };
  if (flag.chain.renewed_by !== null && act.name !== "tune") {
    const current = findLastOfChain(tx, flag.chain.first) ?? flag;
    return { state: "conflict", reason: "renewed", flag: current };
  }
  const changed = seen !== undefined && seen !== versionOf(flag);
  const transition = act.decide(standingOf(flag));
  if (transition.state === "same" && findLastActor(tx, id) === by.id) return { state: "same", flag };
  if (transition.state === "refused") return { state: "conflict", reason: transition.reason, flag };
  if (transition.state === "same" || changed) return { state: "conflict", reason: "changed", flag };
  changeFlag(tx, id, transition.set);
  const text = act.text === undefined ? {} : { text: act.text };
  appendRecord(tx, {
    flag: id,
    at: now,
    type: "act",
    actor: by.id,
    data: { act: act.name, set: transition.set, ...text, ...act.data },
  });
  const record = lastRecordId(tx);
  appendAudit(tx, {
    at: now,
    actor: by.id,
    act: `flag.${act.name}`,
    target: `flag:${id}`,
    detail: { asset: flag.asset, ...act.detail },
  });
  return { state: "done", flag: findChainedFlag(tx, id) ?? flag, record };
}

function standingOf(flag: FlagRow): Standing {
  const { status, resolution, acked_by, snoozed_until, incident, hypothesis } = flag;
  const until = snoozed_until === null ? null : (parseInstant(snoozed_until) ?? null);
  return { status, resolution, acked_by, snoozed_until: until, incident, hypothesis };
}
