/**
 * What is said of a capability that is not well, and what is safe to do about it: one reviewed sentence each for every category of
 * failure and every state, written for whoever keeps the installation. Never a provider's own text. When an allowance comes back is
 * nothing that is known here, so no sentence says it.
 */

import type { FailureCategory } from "../providers/faults.ts";
import { FAULT_CODES, type FaultCode, isFaultCode, LATER } from "../providers/faults.ts";
import type { HealthState } from "./health.ts";
import type { UnknownCause } from "./state.ts";

/** What can be done, as a word that a program may go by. */
export const ACTION_CODES = [
  "none",
  "wait",
  "give_access",
  "replace_credential",
  "check_account",
  "enable_api",
  "check_setup",
  "check_settings",
  "check_network",
  "check_storage",
  "check_clock",
  "check_job",
  "check_sender",
  "check_token",
  "correct_report",
  "send_again",
  "set_up_sending",
  "test_account",
  "list_sites",
  "open_page",
  "connect",
  "resume",
  "look_yourself",
] as const;
export type ActionCode = (typeof ACTION_CODES)[number];

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
  const { words: why, action: text } = FAULT_CODES[code];
  const done = FAULT_ACTIONS[code];
  if (done !== undefined) return { why, action: { code: done, text } };
  return { why, action: CUT_SHORT.has(code) ? copy.again : action };
}

/** Faults of nobody: the answer was not waited for. */
const CUT_SHORT: ReadonlySet<FaultCode> = new Set(["stopped", "connection_changed"]);

/** What the action of a fault is, as a word; a fault that only time helps has none. */
const FAULT_ACTIONS: Readonly<Partial<Record<FaultCode, ActionCode>>> = {
  host_unknown: "check_network",
  no_secure_connection: "check_clock",
  not_compared: "check_storage",
  not_read: "look_yourself",
  report_over_ceiling: "check_settings",
  signed_out: "replace_credential",
  key_refused: "replace_credential",
  account_gone: "replace_credential",
  account_blocked: "check_account",
  scope_missing: "check_account",
  access_refused: "check_account",
  balance_used_up: "check_account",
  panel_budget: "check_settings",
  property_denied: "give_access",
  no_property: "give_access",
  credential_removed: "connect",
  credential_unreadable: "replace_credential",
  credential_of_another_kind: "connect",
  api_disabled: "enable_api",
  request_refused: "check_setup",
  metric_restricted: "give_access",
  analytics_custom_dimension_unregistered: "check_setup",
  property_malformed: "check_setup",
  not_a_site: "check_setup",
  too_many_sites: "check_account",
  wrong_address: "check_settings",
  redirected: "check_settings",
  clock_skew: "check_clock",
  token_request_refused: "replace_credential",
  token_address_refused: "replace_credential",
  no_access_token: "check_account",
  receiver_unknown: "check_network",
  receiver_insecure: "check_setup",
  receiver_denied: "replace_credential",
  receiver_private: "check_settings",
  receiver_moved: "check_setup",
  receiver_gone: "check_setup",
  receiver_refused: "check_setup",
  recipient_refused: "check_setup",
};

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
