/**
 * The words of every capability: a default for each category of failure and each state, of what Tower asks and of what is sent to it, and what
 * differs for a capability. Each line is what happened, the action as a code, and the action in words.
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

// What is said of a capability that is not well, and what is safe to do about it: one reviewed sentence
// each for every category of failure and every state, written for whoever keeps the installation. Never a
// provider's own text. When an allowance comes back is nothing that is known here, so no sentence says it.

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

type Line = readonly [why: string, code: ActionCode, text: string];
type Lines = Readonly<Record<CopyKey, Line>>;

function copyOf(lines: Lines, again: Action): CapabilityCopy {
  const words = Object.entries(lines).map(([key, [why, code, text]]) => [key, said(why, code, text)]);
  return { words: Object.fromEntries(words) as CapabilityCopy["words"], again };
}

/** `Search console` inside a sentence. */
const inside = (name: string) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;

const UNMONITORED: Line = [
  "Nothing shows Tower whether this works.",
  "look_yourself",
  "Look at it yourself now and then: no news of it is no good news.",
];

/** Whatever Tower asks by schedule; `cadence` says how often. */
function readLines(name: string, cadence: string): Lines {
  const it = inside(name);
  return {
    access: [
      `The account is refused access by ${it}.`,
      "give_access",
      "Check that the account may see the property, or replace the credential.",
    ],
    rate_limit: [
      `Too many questions went to ${it}.`,
      "wait",
      "Nothing to do: Tower waits, then asks again by itself.",
    ],
    exhausted_budget: [
      `The allowance at ${it} is used up.`,
      "wait",
      "Nothing to do: asking again does not bring it back, and Tower tries later by itself.",
    ],
    network: [
      `${name} cannot be reached.`,
      "check_network",
      "Nothing to do if it passes. If it stays, check this machine's way to the internet.",
    ],
    provider_error: [`There is a fault at ${it} itself.`, "wait", LATER],
    invalid_report: [
      `The answer of ${it} is not the report that was asked for.`,
      "wait",
      "Nothing of it is stored, and Tower asks again by itself. If it stays, look for a newer release of Tower.",
    ],
    incomplete_report: [
      `The answer of ${it} is only a part of the report.`,
      "wait",
      "Nothing of it is stored, and Tower asks again by itself.",
    ],
    configuration: [
      `As it is set up, the question is refused by ${it}.`,
      "check_setup",
      "Check the property, the credential, and that the provider's API is enabled.",
    ],
    monitoring_failure: [
      "Tower could not compare or write down what came of it.",
      "check_storage",
      CHECK_DATA,
    ],
    never_run: [`No question about it went to ${it} yet.`, "wait", `Nothing to do: Tower asks ${cadence}.`],
    stale: [
      "No usable report came when it was due.",
      "check_job",
      "Check on System Health that Tower's jobs run.",
    ],
    disconnected: [
      `The connection to ${it} was taken away.`,
      "connect",
      "Attach a property again, or forget the connection.",
    ],
    unmonitored: UNMONITORED,
    paused: ["An operator paused it.", "resume", "Resume it when it is to be asked for again."],
    idle: ["No report is due.", "none", NOTHING.text],
  };
}

export const readCopy = (name: string, cadence: string): CapabilityCopy =>
  copyOf(readLines(name, cadence), WAIT);

/** Panels of search results: an answer is paid for, so that none is asked for again before its panel is due. */
export function panelCopy(name: string): CapabilityCopy {
  const next: Action = { code: "wait", text: "Nothing to do: Tower asks again when the panel is next due." };
  const lines: Lines = {
    ...readLines(name, "when the panel is due"),
    provider_error: ["There is a fault at DataForSEO itself.", "wait", next.text],
    network: ["DataForSEO cannot be reached.", "check_network", next.text],
    disconnected: [
      "There is no DataForSEO account to ask with.",
      "connect",
      "Add a credential of DataForSEO, or remove the panel.",
    ],
  };
  return copyOf(lines, next);
}

/** Calendars: what an account or a property would be is the address alone. */
export function calendarCopy(cadence: string): CapabilityCopy {
  const lines: Lines = {
    ...readLines("The calendar's server", cadence),
    access: [
      "The calendar's server does not let Tower in.",
      "replace_credential",
      "Copy the address again, remove the calendar and add it anew. What it told stays.",
    ],
    invalid_report: [
      "The answer is no calendar, or one that is too large to read.",
      "check_setup",
      "Open the address in a browser: it must give a calendar file of at most 10 MiB. The timeline stays as it is.",
    ],
    configuration: [
      "The calendar's server does not know the address, or it leads elsewhere or is private.",
      "check_setup",
      "Add the calendar anew with its current address. OUTBOUND_ALLOWED_HOSTS names private hosts that may be read.",
    ],
  };
  return copyOf(lines, WAIT);
}

/** Reports that are asked for by schedule and kept whole: what is kept stays, whatever comes of the next. */
export function archiveCopy(name: string, cadence: string): CapabilityCopy {
  const lines = readLines(name, cadence);
  const own: Partial<Lines> = {
    invalid_report: [
      lines.invalid_report[0],
      "wait",
      "What is archived stays, and Tower asks again by itself. If it lasts, look for a newer release of Tower.",
    ],
    incomplete_report: [
      `Only a part of the report came from ${inside(name)}.`,
      "wait",
      "The part is kept, no figure is read from it, and Tower asks again by itself.",
    ],
    monitoring_failure: ["Tower could not read or store what came.", "check_storage", CHECK_DATA],
    never_run: ["Nothing of it is archived yet.", "wait", `Nothing to do: Tower asks ${cadence}.`],
    stale: ["Nothing came to the archive when it was due.", ...rest(lines.stale)],
    disconnected: [
      `The connection to ${inside(name)} was taken away; what is archived stays.`,
      ...rest(lines.disconnected),
    ],
    paused: ["An operator paused it.", "resume", "Resume it when it is to be archived again."],
    idle: ["It is archived, and its date is not asked for again.", "none", NOTHING.text],
  };
  return copyOf({ ...lines, ...own }, WAIT);
}

/** What to do, of a line. */
const rest = ([, code, text]: Line): readonly [ActionCode, string] => [code, text];

/** Traffic now, which is asked for while somebody looks: nothing is tried again by itself. */
export function liveCopy(name: string): CapabilityCopy {
  const lines = readLines(name, "");
  const look = "it is asked for while somebody looks at the site's page.";
  const again: Action = {
    code: "open_page",
    text: "Nothing to do: it is asked for again while somebody looks at the site's page.",
  };
  const retried = (["rate_limit", "exhausted_budget", "provider_error", "incomplete_report"] as const).map(
    (category) => [category, [lines[category][0], again.code, again.text]] as const,
  );
  const own: Partial<Lines> = {
    invalid_report: [
      lines.invalid_report[0],
      "open_page",
      "Open the site's page again: nothing of it is stored. If it stays, look for a newer release of Tower.",
    ],
    monitoring_failure: ["Tower could not write down what came of it.", "check_storage", CHECK_DATA],
    never_run: ["Traffic was not asked for yet.", "open_page", `Nothing to do: ${look}`],
    stale: ["No answer came while somebody looked.", "open_page", "Open the site's page again."],
    idle: ["Nobody looks at it now.", "none", `Nothing to do: ${look}`],
  };
  return copyOf({ ...lines, ...Object.fromEntries(retried), ...own }, again);
}

/** What an operator asks of an account: `act` names it, `again` tells to do it. */
interface Asked {
  readonly act: string;
  readonly code: ActionCode;
  readonly again: string;
}

function askedLines(name: string, { act, code, again }: Asked): Lines {
  const it = inside(name);
  return {
    access: [
      `The account is not let in by ${it}.`,
      "replace_credential",
      "Check the account's rights at the provider, or replace the credential.",
    ],
    rate_limit: [`Too many questions went to ${it}.`, code, `Wait a few minutes, then ${again}.`],
    exhausted_budget: [
      `The account's allowance at ${it} is used up.`,
      code,
      `Asking at once does not bring it back: later, ${again}.`,
    ],
    network: [
      `${name} cannot be reached.`,
      "check_network",
      `Check this machine's way to the internet, then ${again}.`,
    ],
    provider_error: [`There is a fault at ${it} itself.`, code, `Wait a while, then ${again}.`],
    invalid_report: [
      `The answer of ${it} cannot be read.`,
      code,
      `Wait a while, then ${again}. If it stays, look for a newer release of Tower.`,
    ],
    incomplete_report: [`The answer of ${it} is cut off.`, code, `Wait a while, then ${again}.`],
    configuration: [
      `As it is set up, the account is refused by ${it}.`,
      "check_setup",
      "Check the credential, and that the provider's API is enabled in its project.",
    ],
    monitoring_failure: [`Tower could not write down what came of the ${act}.`, "check_storage", CHECK_DATA],
    never_run: [
      act === "test" ? "The account was not tested yet." : "The account's sites were not listed yet.",
      code,
      `To know more, ${again.replace(" again", "")}.`,
    ],
    stale: [`The last ${act} is too old to rely on.`, code, `To know more, ${again}.`],
    disconnected: [
      "The credential was removed.",
      "connect",
      "Add a credential where the account is still needed, or forget it.",
    ],
    unmonitored: UNMONITORED,
    paused: ["An operator paused it.", "resume", "Resume it when it is to be used again."],
    idle: ["Nothing is due. Whether reports come is told by their own rows.", "none", NOTHING.text],
  };
}

const againOf = ({ code, again }: Asked): Action => ({ code, text: `${capital(again)}.` });
const TEST: Asked = { act: "test", code: "test_account", again: "test the account again on its page" };
const LISTING: Asked = {
  act: "listing",
  code: "list_sites",
  again: "list the account's sites again on its page",
};
const TEST_SEND: Asked = { act: "test", code: "send_again", again: "send the test again" };

export const testCopy = (name: string): CapabilityCopy => copyOf(askedLines(name, TEST), againOf(TEST));

export const discoveryCopy = (name: string): CapabilityCopy =>
  copyOf(askedLines(name, LISTING), againOf(LISTING));

/** Notices, or tests of channels, which say nothing of real notices. A receiver's failure has a code, whose words stand in the place of a category's. */
export function noticeCopy(isTest: boolean): CapabilityCopy {
  const name = "The receiver";
  const own: Partial<Lines> = {
    never_run: isTest
      ? ["The channel was not tested yet.", "send_again", "Send a test to see whether it works."]
      : ["Nothing was sent yet.", "none", NOTHING.text],
    idle: [isTest ? "No test is under way." : "No notice is waiting.", "none", NOTHING.text],
    stale: ["A notice waits longer than it should.", "check_job", "Check that Tower's jobs run."],
    disconnected: ["The channel was removed.", "connect", "Add a channel where one is still needed."],
    paused: ["An operator paused the channel.", "resume", "Resume it to send notices again."],
  };
  const lines = isTest ? askedLines(name, TEST_SEND) : readLines(name, "when there is something to tell");
  return copyOf({ ...lines, ...own }, isTest ? againOf(TEST_SEND) : WAIT);
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
  own: Pick<Lines, "never_run" | "stale" | "idle">,
): CapabilityCopy {
  const failures: Readonly<Record<FailureCategory, Line>> = {
    access: [
      `The last ${thing} came with a token that does not cover it.`,
      "check_token",
      `Give ${sender} ${token}.`,
    ],
    rate_limit: [
      `More came at once than Tower takes, so the last ${thing} is not stored.`,
      "send_again",
      `Let ${sender} send it again after the time that the answer names.`,
    ],
    exhausted_budget: [
      `The last ${thing} goes beyond what Tower keeps of one sender, so it is not stored.`,
      "correct_report",
      `Let ${sender} send less, as the answer says.`,
    ],
    network: [
      `The last ${thing} did not arrive.`,
      "check_network",
      `Check the way from ${sender} to Tower, then send it again.`,
    ],
    provider_error: [
      `${capital(sender)} could not make the last ${thing}.`,
      "check_sender",
      `Look at what ${sender} itself says about it.`,
    ],
    invalid_report: [
      `The last ${thing} breaks the contract, so it is not stored.`,
      "correct_report",
      "Correct what the answer named, then send it again.",
    ],
    incomplete_report: [
      `The last ${thing} did not come to its end, so it is not stored.`,
      "send_again",
      "Send it again.",
    ],
    configuration: [
      `The last ${thing} was not sent as Tower takes it, so it is not stored.`,
      "check_setup",
      `Check how ${sender} sends it: the address, the content type and the site's id.`,
    ],
    monitoring_failure: [
      `Tower could not store the last ${thing}.`,
      "check_storage",
      "Check this machine's storage, then send it again.",
    ],
  };
  const lines: Lines = {
    ...failures,
    ...own,
    disconnected: [
      `Tower takes no ${thing} from here any more.`,
      "connect",
      `Give ${sender} ${token} again.`,
    ],
    unmonitored: UNMONITORED,
    paused: [
      "An operator paused it. What is sent is stored all the same.",
      "resume",
      "Resume it when silence matters again.",
    ],
  };
  return copyOf(lines, { code: "send_again", text: "Send it again." });
}

export const NIGHTLY_COPY = sentCopy(
  { thing: "nightly report", sender: "the site", token: "a token of its own" },
  {
    never_run: [
      "No nightly report has come.",
      "set_up_sending",
      "Set up the site's nightly report: its page has the command.",
    ],
    stale: [
      "The site has been silent for longer than it may be.",
      "check_sender",
      "Check at the site that its nightly job still runs.",
    ],
    idle: ["No nightly report is due from the site.", "none", NOTHING.text],
  },
);

export const CODEBASE_COPY = sentCopy(
  { thing: "codebase report", sender: "the repository", token: "the site's own token" },
  {
    never_run: [
      "No codebase report has come.",
      "set_up_sending",
      "Set up the repository's workflow: the site's codebase tab has it.",
    ],
    stale: [
      "No codebase report came when it was due.",
      "check_sender",
      "Check that the repository's workflow still runs.",
    ],
    idle: ["No codebase report came in the last 8 days.", "none", "Nothing to do: the next push sends one."],
  },
);

const NOTED = "Nothing to do: it is sent when there is something to note.";

export const ANNOTATION_COPY = sentCopy(
  { thing: "annotation", sender: "the sender", token: "a token that may post annotations" },
  {
    never_run: ["No annotation was sent with this token.", "none", NOTED],
    stale: ["No annotation came when it was due.", "check_sender", "Check that the sender still sends."],
    idle: ["Nothing was noted lately.", "none", NOTED],
  },
);
