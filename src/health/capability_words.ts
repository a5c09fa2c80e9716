/**
 * The words of every capability: a default for each category of failure and each state, of what Tower asks and of what is sent to it, and what
 * differs for a capability. What happened and what to do about it are a sentence or two each, written for whoever keeps the installation:
 * never a provider's own text. When an allowance comes back is nothing that is known here, so no sentence says it.
 */

import { onceOf } from "../base/base.ts";
import { capital } from "../base/text.ts";
import {
  type ActionCode,
  FAULT_CODES,
  type FailureCategory,
  type FaultCode,
  isFaultCode,
  LATER,
  WAITS,
} from "../providers/faults.ts";
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
type CopyKey = FailureCategory | Exclude<HealthState, "failing" | "unknown" | "working">;

/** An action: its code and its words. */
type Step = readonly [code: ActionCode, text: string];

/** The words of a capability: what happened, and what to do about it. */
export interface CapabilityCopy {
  readonly why: Readonly<Record<CopyKey, string>>;
  readonly steps: Readonly<Record<CopyKey, Step>>;
  /** What helps where nothing is wrong but that it has to be tried again. */
  readonly again: Step;
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
  if (state === "working") return said("", NOTHING);
  if (state === "unknown") return UNKNOWN[cause ?? "evidence"];
  const key = state === "failing" ? (category ?? "monitoring_failure") : state;
  const step = copy.steps[key];
  if (state !== "failing" || code === null || !isFaultCode(code)) return said(copy.why[key], step);
  const { words: why, actionCode, action: text } = FAULT_CODES[code];
  if (actionCode !== undefined) return { why, action: { code: actionCode, text } };
  return said(why, CUT_SHORT.has(code) ? copy.again : step);
}

const said = (why: string, step: Step): Words => ({ why, action: actionOf(step) });

/** One for all targets that it is said of. */
const actionOf = onceOf(([code, text]: Step): Action => ({ code, text }));

/** Faults of nobody: the answer was not waited for. */
const CUT_SHORT: ReadonlySet<FaultCode> = new Set(["stopped", "connection_changed"]);

const NOTHING: Step = ["none", "Nothing to do."];
const WAIT: Step = ["wait", LATER];
const CHECK_DATA: Step = ["check_storage", "Check the stored data: bun run tower check."];

/** Why nothing can be said. */
const UNKNOWN: Readonly<Record<UnknownCause, Words>> = {
  inventory: said("The setup cannot be read.", CHECK_DATA),
  evidence: said("The stored last attempt cannot be read.", CHECK_DATA),
  ahead: said("The last attempt has a time in the future, so it does not count.", [
    "check_clock",
    "Check this machine's clock.",
  ]),
  unmatched: said("An attempt was made, but its outcome is not recorded.", [
    "wait",
    "Nothing to do if the next attempt is recorded. If it stays, check the stored data: bun run tower check.",
  ]),
  obligation: said("It is not known when the next result is due.", CHECK_DATA),
};

/** What is so where the result of an operation stands, and its health could not be recorded. */
export const UNRECORDED = "The result is stored, but its state is not. Nothing is requested or sent again.";

/** The same by itself, wherever it is said. */
export const MONITORING_UNAVAILABLE = `Monitoring is unavailable. ${UNRECORDED}`;

/** A capability's words: those of `base`, but for what differs. */
const differing = (
  base: CapabilityCopy,
  own: { readonly why?: Partial<CapabilityCopy["why"]>; readonly steps?: Partial<CapabilityCopy["steps"]> },
  again = base.again,
): CapabilityCopy => ({ why: { ...base.why, ...own.why }, steps: { ...base.steps, ...own.steps }, again });

/** `Search console` inside a sentence. */
const inside = (name: string) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;

const UNMONITORED = "Tower cannot see whether this works.";
const LOOK: Step = ["look_yourself", "Check it yourself now and then. Silence is no all-clear."];

/** Whatever Tower asks by schedule; `cadence` says how often. */
export function readCopy(name: string, cadence: string): CapabilityCopy {
  const it = inside(name);
  return {
    why: {
      access: `${name} refused access.`,
      rate_limit: `Too many requests went to ${it}.`,
      exhausted_budget: `The allowance at ${it} is used up.`,
      network: `${name} cannot be reached.`,
      provider_error: `${name} failed.`,
      invalid_report: `${name} sent something other than the requested report.`,
      incomplete_report: `${name} sent only part of the report.`,
      configuration: `${name} refuses the request as it is set up.`,
      monitoring_failure: "Tower could not compare or store the result.",
      never_run: `Nothing was requested from ${it} yet.`,
      stale: "No usable report arrived when it was due.",
      disconnected: `${name} is no longer connected.`,
      unmonitored: UNMONITORED,
      paused: "An operator paused it.",
      idle: "No report is due.",
    },
    steps: {
      access: ["give_access", "Check the key, and that it may see the property."],
      rate_limit: ["wait", WAITS],
      exhausted_budget: ["wait", "Nothing to do: retrying does not restore it, so Tower waits."],
      network: [
        "check_network",
        "Nothing to do if it passes. If it stays, check this machine's internet connection.",
      ],
      provider_error: WAIT,
      invalid_report: [
        "wait",
        "Nothing is stored, and Tower retries automatically. If it stays, look for a newer release of Tower.",
      ],
      incomplete_report: ["wait", "Nothing is stored, and Tower retries automatically."],
      configuration: [
        "check_setup",
        "Check the property, the credential, and that the provider's API is enabled.",
      ],
      monitoring_failure: CHECK_DATA,
      never_run: ["wait", `Nothing to do: Tower reads it ${cadence}.`],
      stale: ["check_job", "Check on System Health that Tower's jobs run."],
      disconnected: ["connect", "Attach a property again, or forget the connection."],
      unmonitored: LOOK,
      paused: ["resume", "Resume it when it should be read again."],
      idle: NOTHING,
    },
    again: WAIT,
  };
}

/** Panels of search results: an answer is paid for, so that none is asked for again before its panel is due. */
export function panelCopy(name: string): CapabilityCopy {
  const due = "Nothing to do: Tower retries when the panel is next due.";
  const own = {
    why: {
      provider_error: "DataForSEO failed.",
      network: "DataForSEO cannot be reached.",
      disconnected: "No DataForSEO account is connected.",
    },
    steps: {
      provider_error: ["wait", due],
      network: ["check_network", due],
      disconnected: ["connect", "Add a credential of DataForSEO, or remove the panel."],
    },
  } as const;
  return differing(readCopy(name, "when the panel is due"), own, ["wait", due]);
}

/** Calendars: what an account or a property would be is the address alone. */
export const calendarCopy = (cadence: string): CapabilityCopy =>
  differing(readCopy("The calendar's server", cadence), {
    why: {
      access: "The calendar's server refused access.",
      invalid_report: "The address gives no calendar, or one that is too large.",
      configuration: "The calendar's address is unknown to its server, leads elsewhere or is private.",
    },
    steps: {
      access: [
        "replace_credential",
        "Copy the address again, remove the calendar and add it again. Its events stay.",
      ],
      invalid_report: [
        "check_setup",
        "Open the address in a browser: it must give a calendar file of at most 10 MiB. The timeline stays as it is.",
      ],
      configuration: [
        "check_setup",
        "Remove the calendar and add it again with its current address. OUTBOUND_ALLOWED_HOSTS names private hosts that may be read.",
      ],
    },
  });

/** Reports that are asked for by schedule and kept whole: what is kept stays, whatever comes of the next. */
export const archiveCopy = (name: string, cadence: string): CapabilityCopy =>
  differing(readCopy(name, cadence), {
    why: {
      incomplete_report: `${name} sent only part of the report.`,
      monitoring_failure: "Tower could not read or store the report.",
      never_run: "Nothing is archived yet.",
      stale: "No report was archived when it was due.",
      disconnected: `${name} is no longer connected. The archive stays.`,
      idle: "It is archived, and its date is not requested again.",
    },
    steps: {
      invalid_report: [
        "wait",
        "The archive stays, and Tower retries automatically. If it stays, look for a newer release of Tower.",
      ],
      incomplete_report: ["wait", "The part is kept but not used, and Tower retries automatically."],
      paused: ["resume", "Resume it when it should be archived again."],
    },
  });

/** Traffic now, which is asked for while somebody looks: nothing is tried again by itself. */
export function liveCopy(name: string): CapabilityCopy {
  const look = "it is read while somebody has the site's page open.";
  const again: Step = ["open_page", `Nothing to do: ${look.replace("read", "read again")}`];
  const own = {
    why: {
      monitoring_failure: "Tower could not store the result.",
      never_run: "Live traffic was not read yet.",
      stale: "No answer arrived while the page was open.",
      idle: "Nobody has the page open.",
    },
    steps: {
      rate_limit: again,
      exhausted_budget: again,
      provider_error: again,
      incomplete_report: again,
      invalid_report: [
        "open_page",
        "Open the site's page again. If it stays, look for a newer release of Tower.",
      ],
      never_run: ["open_page", `Nothing to do: ${look}`],
      stale: ["open_page", "Open the site's page again."],
      idle: ["none", `Nothing to do: ${look}`],
    },
  } as const;
  return differing(readCopy(name, ""), own, again);
}

/** What an operator asks of an account: `act` names it, `again` tells to do it. */
function askedCopy(name: string, act: "test" | "listing", code: ActionCode, again: string): CapabilityCopy {
  const it = inside(name);
  const own = {
    why: {
      invalid_report: `The answer from ${it} cannot be read.`,
      incomplete_report: `The answer from ${it} is cut off.`,
      configuration: `${name} refuses the account as it is set up.`,
      monitoring_failure: `Tower could not store the result of the ${act}.`,
      never_run:
        act === "test" ? "The account was not tested yet." : "The account's sites were not listed yet.",
      disconnected: "The credential was removed.",
      idle: "Nothing is due. Missing reports show in their own rows.",
    },
    steps: {
      access: [
        "replace_credential",
        "Check the account's rights at the provider, or replace the credential.",
      ],
      rate_limit: [code, `Wait a few minutes, then ${again}.`],
      exhausted_budget: [code, `Retrying at once does not restore it. Later, ${again}.`],
      network: ["check_network", `Check this machine's internet connection, then ${again}.`],
      provider_error: [code, `Wait a while, then ${again}.`],
      invalid_report: [code, `Wait a while, then ${again}. If it stays, look for a newer release of Tower.`],
      incomplete_report: [code, `Wait a while, then ${again}.`],
      configuration: [
        "check_setup",
        "Check the credential, and that the provider's API is enabled in its project.",
      ],
      never_run: [code, `To know more, ${again.replace(" again", "")}.`],
      disconnected: ["connect", "Add a credential where the account is still needed, or forget it."],
    },
  } as const;
  return differing(readCopy(name, ""), own, [code, `${capital(again)}.`]);
}

export const testCopy = (name: string): CapabilityCopy =>
  askedCopy(name, "test", "test_account", "test the account again on its page");

export const discoveryCopy = (name: string): CapabilityCopy =>
  askedCopy(name, "listing", "list_sites", "list the account's sites again on its page");

/** Notices, or tests of channels, which say nothing of real notices. A receiver's failure has a code, whose words stand in the place of a category's. */
export function noticeCopy(isTest: boolean): CapabilityCopy {
  const name = "The receiver";
  const base = isTest
    ? askedCopy(name, "test", "send_again", "send the test again")
    : readCopy(name, "when there is something to send");
  return differing(base, {
    why: {
      never_run: isTest ? "The channel was not tested yet." : "Nothing was sent yet.",
      idle: isTest ? "No test is under way." : "No notice is waiting.",
      stale: "A notice waits longer than it should.",
      disconnected: "The channel was removed.",
      paused: "An operator paused the channel.",
    },
    steps: {
      never_run: isTest ? ["send_again", "Send a test to see whether it works."] : NOTHING,
      idle: NOTHING,
      stale: ["check_job", "Check that Tower's jobs run."],
      disconnected: ["connect", "Add a channel where one is still needed."],
      paused: ["resume", "Resume it to send notices again."],
    },
  });
}

/** Whichever provider it is: what is told stands beside the provider's name, or in a list of several. */
const PROVIDER_COPY = readCopy("The provider", "at its next turn");

/** What is said of a failure of what is asked of a provider: by schedule, where no capability is named. */
export const failureWords = (
  failure: Pick<StateFacts, "category" | "code">,
  copy: CapabilityCopy = PROVIDER_COPY,
): Words => wordsOf(copy, { ...failure, state: "failing", cause: undefined });

/** What is sent to Tower: `thing` is what is sent, `sender` who sends it, `token` what lets them. */
function sentCopy(
  { thing, sender, token }: { readonly thing: string; readonly sender: string; readonly token: string },
  own: Readonly<Record<"never_run" | "stale" | "idle", readonly [why: string, step: Step]>>,
): CapabilityCopy {
  return {
    why: {
      access: `The last ${thing} had a token that does not cover it.`,
      rate_limit: `Too much was sent at once or today, so the last ${thing} is not stored.`,
      exhausted_budget: `The last ${thing} exceeds a limit of one sender, so it is not stored.`,
      network: `The last ${thing} did not arrive.`,
      provider_error: `${capital(sender)} could not make the last ${thing}.`,
      invalid_report: `The last ${thing} breaks the contract, so it is not stored.`,
      incomplete_report: `The last ${thing} was cut off, so it is not stored.`,
      configuration: `The last ${thing} was sent in the wrong way, so it is not stored.`,
      monitoring_failure: `Tower could not store the last ${thing}.`,
      never_run: own.never_run[0],
      stale: own.stale[0],
      disconnected: `Tower no longer accepts a ${thing} from here.`,
      unmonitored: UNMONITORED,
      paused: "An operator paused it. Reports are still stored.",
      idle: own.idle[0],
    },
    steps: {
      access: ["check_token", `Give ${sender} ${token}.`],
      rate_limit: ["send_again", `Have ${sender} send it again after the time in the answer.`],
      exhausted_budget: ["correct_report", `Have ${sender} send less, as the answer says.`],
      network: ["check_network", `Check the connection from ${sender} to Tower, then send it again.`],
      provider_error: ["check_sender", `Check the log of ${sender}.`],
      invalid_report: ["correct_report", "Correct what the answer named, then send it again."],
      incomplete_report: ["send_again", "Send it again."],
      configuration: [
        "check_setup",
        `Check how ${sender} sends it: the address, the content type and the site's id.`,
      ],
      monitoring_failure: ["check_storage", "Check this machine's storage, then send it again."],
      never_run: own.never_run[1],
      stale: own.stale[1],
      disconnected: ["connect", `Give ${sender} ${token} again.`],
      unmonitored: LOOK,
      paused: ["resume", "Resume it when silence should raise a flag again."],
      idle: own.idle[1],
    },
    again: ["send_again", "Send it again."],
  };
}

export const NIGHTLY_COPY = sentCopy(
  { thing: "nightly report", sender: "the site", token: "a token of its own" },
  {
    never_run: [
      "No nightly report received.",
      ["set_up_sending", "Set up the site's nightly report: its page has the command."],
    ],
    stale: [
      "The site is silent for longer than allowed.",
      ["check_sender", "Check at the site that its nightly job still runs."],
    ],
    idle: ["No nightly report is due from the site.", NOTHING],
  },
);

export const CODEBASE_COPY = sentCopy(
  { thing: "codebase report", sender: "the repository", token: "the site's own token" },
  {
    never_run: [
      "No codebase report received.",
      ["set_up_sending", "Set up the repository's workflow: the site's codebase tab has it."],
    ],
    stale: [
      "No codebase report arrived when it was due.",
      ["check_sender", "Check that the repository's workflow still runs."],
    ],
    idle: ["No codebase report in the last 8 days.", ["none", "Nothing to do: the next push sends one."]],
  },
);

const NOTED: Step = ["none", "Nothing to do: it is sent when something changes."];

export const ANNOTATION_COPY = sentCopy(
  { thing: "annotation", sender: "the sender", token: "a token that may post annotations" },
  {
    never_run: ["No annotation was sent with this token.", NOTED],
    stale: ["No annotation arrived when it was due.", ["check_sender", "Check that the sender still sends."]],
    idle: ["No annotation lately.", NOTED],
  },
);
