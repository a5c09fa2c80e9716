/**
 * What is said of a capability that is not well, and what is safe to do about it: one reviewed sentence each for every category of
 * failure and every state, written for whoever keeps the installation. Never a provider's own text. When an allowance comes back is
 * nothing that is known here, so no sentence says it.
 */

import type { ActionCode, FailureCategory } from "../providers/faults.ts";
import { FAULT_CODES, type FaultCode, isFaultCode, LATER } from "../providers/faults.ts";
import type { HealthState } from "./health.ts";
import type { UnknownCause } from "./state.ts";

export interface Action {
  readonly code: ActionCode;
  /** Who must act and how, in a sentence or two. */
  readonly text: string;
}

export interface Words {
  /** What happened, in one sentence; '' where all is well. */
  readonly why: string;
  readonly action: Action;
}

/** A category of failure, or a state that is no failure and is told in words of the capability. */
export type CopyKey = FailureCategory | Exclude<HealthState, "failing" | "unknown" | "working">;

/** The words of a capability. */
export interface CapabilityCopy {
  readonly words: Readonly<Record<CopyKey, Words>>;
  /** What helps where nothing is wrong but that it has to be tried again. */
  readonly again: Action;
}

/** How a target stands, as far as the words go. */
export interface StateFacts {
  readonly state: HealthState;
  /** Of a failing target. */
  readonly category: FailureCategory | null;
  readonly code: string | null;
  /** Of an unknown one. */
  readonly cause: UnknownCause | undefined;
}

/** What is said of a target: of a failure that has a code of its own, that code's words. */
export function wordsOf(copy: CapabilityCopy, { state, category, code, cause }: StateFacts): Words {
  if (state === "working") return { why: "", action: NOTHING };
  if (state === "unknown") return UNKNOWN[cause ?? "evidence"];
  if (state !== "failing") return copy.words[state];
  const words = copy.words[category ?? "monitoring_failure"];
  return code !== null && isFaultCode(code) ? wordsOfFault(copy, words, code) : words;
}

function wordsOfFault(copy: CapabilityCopy, { action }: Words, code: FaultCode): Words {
  const { words: why, actionCode, action: text } = FAULT_CODES[code];
  if (actionCode !== undefined) return { why, action: { code: actionCode, text } };
  return { why, action: CUT_SHORT.has(code) ? copy.again : action };
}

/** Faults of nobody: the answer was not waited for. */
const CUT_SHORT: ReadonlySet<FaultCode> = new Set(["stopped", "connection_changed"]);

/** A sentence with what to do. */
export const said = (why: string, code: ActionCode, text: string): Words => ({ why, action: { code, text } });

export const NOTHING: Action = { code: "none", text: "Nothing to do." };
export const WAIT: Action = { code: "wait", text: LATER };
export const CHECK_DATA = "Check the stored data: bun run tower check.";

/** Why nothing can be said. */
const UNKNOWN: Readonly<Record<UnknownCause, Words>> = {
  inventory: said("What is set up cannot be read.", "check_storage", CHECK_DATA),
  evidence: said("What is stored of the last attempt cannot be read.", "check_storage", CHECK_DATA),
  ahead: said(
    "The last attempt is stored with a time in the future, so it is not relied on.",
    "check_clock",
    "Check this machine's clock.",
  ),
  unmatched: said(
    "An attempt was made, and what it came to is not recorded.",
    "wait",
    "Nothing to do if the next attempt is recorded. If it stays, check the stored data: bun run tower check.",
  ),
  obligation: said("When the next result is due cannot be told.", "check_storage", CHECK_DATA),
};

/** What is so where the result of an operation stands, and its health could not be recorded. */
export const UNRECORDED =
  "The result stands, but its health is not recorded. Nothing is asked or sent again for that.";

/** The same by itself, wherever it is said. */
export const MONITORING_UNAVAILABLE = `Monitoring is unavailable. ${UNRECORDED}`;
