/**
 * The words of every capability: a default for each category of failure and each state, of what Tower asks and of what is sent to it, and what
 * differs for a capability. What happened and what to do about it are a sentence or two each, written for whoever keeps the installation:
 * never a provider's own text. When an allowance comes back is nothing that is known here, so no sentence says it.
 */

import { capital } from "../base/text.ts";
import {
  type ActionCode,
  FAULT_CODES,
  type FailureCategory,
  type FaultCode,
  isFaultCode,
  LATER,
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
  if (actionCode !== undefined) return said(why, [actionCode, text]);
  return said(why, CUT_SHORT.has(code) ? copy.again : step);
}

const said = (why: string, [code, text]: Step): Words => ({ why, action: { code, text } });

/** Faults of nobody: the answer was not waited for. */
const CUT_SHORT: ReadonlySet<FaultCode> = new Set(["stopped", "connection_changed"]);

const NOTHING: Step = ["none", "Nothing to do."];
const WAIT: Step = ["wait", LATER];
const CHECK_DATA: Step = ["check_storage", "Check the stored data: bun run tower check."];

/** Why nothing can be said. */
const UNKNOWN: Readonly<Record<UnknownCause, Words>> = {
  inventory: said("What is set up cannot be read.", CHECK_DATA),
  evidence: said("What is stored of the last attempt cannot be read.", CHECK_DATA),
  ahead: said("The last attempt is stored with a time in the future, so it is not relied on.", [
    "check_clock",
    "Check this machine's clock.",
  ]),
  unmatched: said("An attempt was made, and what it came to is not recorded.", [
    "wait",
    "Nothing to do if the next attempt is recorded. If it stays, check the stored data: bun run tower check.",
  ]),
  obligation: said("When the next result is due cannot be told.", CHECK_DATA),
};

/** What is so where the result of an operation stands, and its health could not be recorded. */
export const UNRECORDED =
  "The result stands, but its health is not recorded. Nothing is asked or sent again for that.";

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

const UNMONITORED = "Nothing shows Tower whether this works.";
const LOOK: Step = ["look_yourself", "Look at it yourself now and then: no news of it is no good news."];

/** Whatever Tower asks by schedule; `cadence` says how often. */
export function readCopy(name: string, cadence: string): CapabilityCopy {
  const it = inside(name);
  return {
    why: {
      access: `The account is refused access by ${it}.`,
      rate_limit: `Too many questions went to ${it}.`,
      exhausted_budget: `The allowance at ${it} is used up.`,
      network: `${name} cannot be reached.`,
      provider_error: `There is a fault at ${it} itself.`,
      invalid_report: `The answer of ${it} is not the report that was asked for.`,
      incomplete_report: `The answer of ${it} is only a part of the report.`,
      configuration: `As it is set up, the question is refused by ${it}.`,
      monitoring_failure: "Tower could not compare or write down what came of it.",
      never_run: `No question about it went to ${it} yet.`,
      stale: "No usable report came when it was due.",
      disconnected: `The connection to ${it} was taken away.`,
      unmonitored: UNMONITORED,
      paused: "An operator paused it.",
      idle: "No report is due.",
    },
    steps: {
      access: ["give_access", "Check that the account may see the property, or replace the credential."],
      rate_limit: ["wait", "Nothing to do: Tower waits, then asks again by itself."],
      exhausted_budget: [
        "wait",
        "Nothing to do: asking again does not bring it back, and Tower tries later by itself.",
      ],
      network: [
        "check_network",
        "Nothing to do if it passes. If it stays, check this machine's way to the internet.",
      ],
      provider_error: WAIT,
      invalid_report: [
        "wait",
        "Nothing of it is stored, and Tower asks again by itself. If it stays, look for a newer release of Tower.",
      ],
      incomplete_report: ["wait", "Nothing of it is stored, and Tower asks again by itself."],
      configuration: [
        "check_setup",
        "Check the property, the credential, and that the provider's API is enabled.",
      ],
      monitoring_failure: CHECK_DATA,
      never_run: ["wait", `Nothing to do: Tower asks ${cadence}.`],
      stale: ["check_job", "Check on System Health that Tower's jobs run."],
      disconnected: ["connect", "Attach a property again, or forget the connection."],
      unmonitored: LOOK,
      paused: ["resume", "Resume it when it is to be asked for again."],
      idle: NOTHING,
    },
    again: WAIT,
  };
}

/** Panels of search results: an answer is paid for, so that none is asked for again before its panel is due. */
export function panelCopy(name: string): CapabilityCopy {
  const due = "Nothing to do: Tower asks again when the panel is next due.";
  const own = {
    why: {
      provider_error: "There is a fault at DataForSEO itself.",
      network: "DataForSEO cannot be reached.",
      disconnected: "There is no DataForSEO account to ask with.",
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
      access: "The calendar's server does not let Tower in.",
      invalid_report: "The answer is no calendar, or one that is too large to read.",
      configuration: "The calendar's server does not know the address, or it leads elsewhere or is private.",
    },
    steps: {
      access: [
        "replace_credential",
        "Copy the address again, remove the calendar and add it anew. What it told stays.",
      ],
      invalid_report: [
        "check_setup",
        "Open the address in a browser: it must give a calendar file of at most 10 MiB. The timeline stays as it is.",
      ],
      configuration: [
        "check_setup",
        "Add the calendar anew with its current address. OUTBOUND_ALLOWED_HOSTS names private hosts that may be read.",
      ],
    },
  });

/** Reports that are asked for by schedule and kept whole: what is kept stays, whatever comes of the next. */
export const archiveCopy = (name: string, cadence: string): CapabilityCopy =>
  differing(readCopy(name, cadence), {
    why: {
      incomplete_report: `Only a part of the report came from ${inside(name)}.`,
      monitoring_failure: "Tower could not read or store what came.",
      never_run: "Nothing of it is archived yet.",
      stale: "Nothing came to the archive when it was due.",
      disconnected: `The connection to ${inside(name)} was taken away; what is archived stays.`,
      idle: "It is archived, and its date is not asked for again.",
    },
    steps: {
      invalid_report: [
        "wait",
        "What is archived stays, and Tower asks again by itself. If it lasts, look for a newer release of Tower.",
      ],
      incomplete_report: [
        "wait",
        "The part is kept, no figure is read from it, and Tower asks again by itself.",
      ],
      paused: ["resume", "Resume it when it is to be archived again."],
    },
  });

/** Traffic now, which is asked for while somebody looks: nothing is tried again by itself. */
export function liveCopy(name: string): CapabilityCopy {
  const look = "it is asked for while somebody looks at the site's page.";
  const again: Step = ["open_page", `Nothing to do: ${look.replace("asked for", "asked for again")}`];
  const own = {
    why: {
      monitoring_failure: "Tower could not write down what came of it.",
      never_run: "Traffic was not asked for yet.",
      stale: "No answer came while somebody looked.",
      idle: "Nobody looks at it now.",
    },
    steps: {
      rate_limit: again,
      exhausted_budget: again,
      provider_error: again,
      incomplete_report: again,
      invalid_report: [
        "open_page",
        "Open the site's page again: nothing of it is stored. If it stays, look for a newer release of Tower.",
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
  return {
    why: {
      access: `The account is not let in by ${it}.`,
      rate_limit: `Too many questions went to ${it}.`,
      exhausted_budget: `The account's allowance at ${it} is used up.`,
      network: `${name} cannot be reached.`,
      provider_error: `There is a fault at ${it} itself.`,
      invalid_report: `The answer of ${it} cannot be read.`,
      incomplete_report: `The answer of ${it} is cut off.`,
      configuration: `As it is set up, the account is refused by ${it}.`,
      monitoring_failure: `Tower could not write down what came of the ${act}.`,
      never_run:
        act === "test" ? "The account was not tested yet." : "The account's sites were not listed yet.",
      stale: `The last ${act} is too old to rely on.`,
      disconnected: "The credential was removed.",
      unmonitored: UNMONITORED,
      paused: "An operator paused it.",
      idle: "Nothing is due. Missing reports show in their own rows.",
    },
    steps: {
      access: [
        "replace_credential",
        "Check the account's rights at the provider, or replace the credential.",
      ],
      rate_limit: [code, `Wait a few minutes, then ${again}.`],
      exhausted_budget: [code, `Asking at once does not bring it back: later, ${again}.`],
      network: ["check_network", `Check this machine's way to the internet, then ${again}.`],
      provider_error: [code, `Wait a while, then ${again}.`],
      invalid_report: [code, `Wait a while, then ${again}. If it stays, look for a newer release of Tower.`],
      incomplete_report: [code, `Wait a while, then ${again}.`],
      configuration: [
        "check_setup",
        "Check the credential, and that the provider's API is enabled in its project.",
      ],
      monitoring_failure: CHECK_DATA,
      never_run: [code, `To know more, ${again.replace(" again", "")}.`],
      stale: [code, `To know more, ${again}.`],
      disconnected: ["connect", "Add a credential where the account is still needed, or forget it."],
      unmonitored: LOOK,
      paused: ["resume", "Resume it when it is to be used again."],
      idle: NOTHING,
    },
    again: [code, `${capital(again)}.`],
  };
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
    : readCopy(name, "when there is something to tell");
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
      access: `The last ${thing} came with a token that does not cover it.`,
      rate_limit: `More came at once than Tower takes, so the last ${thing} is not stored.`,
      exhausted_budget: `The last ${thing} goes beyond what Tower keeps of one sender, so it is not stored.`,
      network: `The last ${thing} did not arrive.`,
      provider_error: `${capital(sender)} could not make the last ${thing}.`,
      invalid_report: `The last ${thing} breaks the contract, so it is not stored.`,
      incomplete_report: `The last ${thing} did not come to its end, so it is not stored.`,
      configuration: `The last ${thing} was not sent as Tower takes it, so it is not stored.`,
      monitoring_failure: `Tower could not store the last ${thing}.`,
      never_run: own.never_run[0],
      stale: own.stale[0],
      disconnected: `Tower takes no ${thing} from here any more.`,
      unmonitored: UNMONITORED,
      paused: "An operator paused it. What is sent is stored all the same.",
      idle: own.idle[0],
    },
    steps: {
      access: ["check_token", `Give ${sender} ${token}.`],
      rate_limit: ["send_again", `Let ${sender} send it again after the time that the answer names.`],
      exhausted_budget: ["correct_report", `Let ${sender} send less, as the answer says.`],
      network: ["check_network", `Check the way from ${sender} to Tower, then send it again.`],
      provider_error: ["check_sender", `Look at what ${sender} itself says about it.`],
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
      paused: ["resume", "Resume it when silence matters again."],
      idle: own.idle[1],
    },
    again: ["send_again", "Send it again."],
  };
}

export const NIGHTLY_COPY = sentCopy(
  { thing: "nightly report", sender: "the site", token: "a token of its own" },
  {
    never_run: [
      "No nightly report has come.",
      ["set_up_sending", "Set up the site's nightly report: its page has the command."],
    ],
    stale: [
      "The site has been silent for longer than it may be.",
      ["check_sender", "Check at the site that its nightly job still runs."],
    ],
    idle: ["No nightly report is due from the site.", NOTHING],
  },
);

export const CODEBASE_COPY = sentCopy(
  { thing: "codebase report", sender: "the repository", token: "the site's own token" },
  {
    never_run: [
      "No codebase report has come.",
      ["set_up_sending", "Set up the repository's workflow: the site's codebase tab has it."],
    ],
    stale: [
      "No codebase report came when it was due.",
      ["check_sender", "Check that the repository's workflow still runs."],
    ],
    idle: [
      "No codebase report came in the last 8 days.",
      ["none", "Nothing to do: the next push sends one."],
    ],
  },
);

const NOTED: Step = ["none", "Nothing to do: it is sent when there is something to note."];

export const ANNOTATION_COPY = sentCopy(
  { thing: "annotation", sender: "the sender", token: "a token that may post annotations" },
  {
    never_run: ["No annotation was sent with this token.", NOTED],
    stale: ["No annotation came when it was due.", ["check_sender", "Check that the sender still sends."]],
    idle: ["Nothing was noted lately.", NOTED],
  },
);
