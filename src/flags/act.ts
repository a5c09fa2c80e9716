/** One act of an operator on one flag: decided, appended to its record, written to its row and to the audit, all at once. */
import { type AuditDetail, appendAudit } from "../audit/mod.ts";
import type { Tx } from "../db/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import type { FlagRow } from "./contract.ts";
import { appendRecord, findLastActor } from "./record_store.ts";
import { changeFlag, findFlag } from "./store.ts";
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

/** What came of an act. On a conflict the flag is as it stands now. */
export type ActOutcome =
  | { readonly state: "done" | "same"; readonly flag: FlagRow }
  | { readonly state: "conflict"; readonly reason: Refusal | "changed"; readonly flag: FlagRow }
  | { readonly state: "missing" };

/**
 * Performs an act in the caller's transaction. Of two operators the first wins: the second saw an older version and gets a
 * conflict. An act repeated by the same operator (a double click) is no conflict.
 */
export function performAct(
  tx: Tx,
  request: ActRequest,
  act: {
    readonly name: ActName;
    readonly decide: (flag: Standing) => Transition;
    /** The operator's own words, for the record. */
    readonly text?: string | undefined;
    readonly detail?: AuditDetail | undefined;
  },
): ActOutcome {
  const { id, by, now, seen } = request;
  const flag = findFlag(tx, id);
  if (flag === undefined) return { state: "missing" };
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
    data: { act: act.name, set: transition.set, ...text },
  });
  appendAudit(tx, {
    at: now,
    actor: by.id,
    act: `flag.${act.name}`,
    target: `flag:${id}`,
    detail: { asset: flag.asset, ...act.detail },
  });
  return { state: "done", flag: findFlag(tx, id) ?? flag };
}

function standingOf(flag: FlagRow): Standing {
  const { status, resolution, acked_by, snoozed_until, incident, hypothesis } = flag;
  const until = snoozed_until === null ? null : (parseInstant(snoozed_until) ?? null);
  return { status, resolution, acked_by, snoozed_until: until, incident, hypothesis };
}
