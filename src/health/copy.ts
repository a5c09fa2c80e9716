/**
 * What is said of a capability that is not well, and what is safe to do about it: one reviewed sentence each for every category of
 * failure and every state, written for whoever keeps the installation. Never a provider's own text. When an allowance comes back is
 * nothing that is known here, so no sentence says it.
 */
import type { FailureCategory } from "../provider/contract.ts";
import { FAULT_CODES, type FaultCode, isFaultCode, LATER } from "../provider/fault_codes.ts";
import type { HealthState } from "./contract.ts";
import type { UnknownCause } from "./state.ts";

/** What can be done, as a word that a program may go by. */
export const ACTION_CODES = [
  "none",
  "wait",
  "give_access",
  "replace_credential",
  "check_setup",
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

/** States that are no failure, and are told in words of the capability. */
export type ToldState = Exclude<HealthState, "failing" | "unknown" | "working">;

/** The words of a capability. */
export interface CapabilityCopy {
  readonly failures: Readonly<Record<FailureCategory, Words>>;
  readonly states: Readonly<Record<ToldState, Words>>;
  /** Whether it is tried again without anybody doing anything. */
  readonly asksByItself: boolean;
}

/** How a target stands, as far as the words go. */
export interface Told {
  readonly state: HealthState;
  /** Of a failing target. */
  readonly category: FailureCategory | null;
  readonly code: string | null;
  /** Of an unknown one. */
  readonly cause: UnknownCause | undefined;
}

/** What is said of a target: of a failure that has a code of its own, that code's words. */
export function wordsOf(copy: CapabilityCopy, { state, category, code, cause }: Told): Words {
  if (state === "working") return { why: "", action: NOTHING };
  if (state === "unknown") return UNKNOWN[cause ?? "evidence"];
  if (state !== "failing") return copy.states[state];
  const words = copy.failures[category ?? "monitoring_failure"];
  return code !== null && isFaultCode(code) ? wordsOfFault(copy, words, code) : words;
}

function wordsOfFault(copy: CapabilityCopy, { action }: Words, code: FaultCode): Words {
  const { words: why, action: text } = FAULT_CODES[code];
  if (text !== LATER) return { why, action: { code: action.code, text } };
  return { why, action: copy.asksByItself ? WAIT : action };
}

const said = (why: string, code: ActionCode, text: string): Words => ({ why, action: { code, text } });

const NOTHING: Action = { code: "none", text: "Nothing to do." };
const WAIT: Action = { code: "wait", text: LATER };
const CHECK_DATA = "Check the stored data: bun run tower check.";

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

const UNMONITORED = said(
  "Nothing shows Tower whether this works.",
  "look_yourself",
  "Look at it yourself now and then: no news of it is no good news.",
);

/** `Search console` inside a sentence. */
const inside = (name: string) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;

/** Figures that are asked for by schedule; `cadence` says how often. */
export function readCopy(name: string, cadence: string): CapabilityCopy {
  return {
    asksByItself: true,
    failures: {
      access: said(
        `${name} gives the account no access to the property.`,
        "give_access",
        "Give the account access to the property, or replace the credential.",
      ),
      rate_limit: said(
        `${name} asks to be asked less often.`,
        "wait",
        "Nothing to do: Tower waits, then asks again by itself.",
      ),
      exhausted_budget: said(
        `The allowance at ${inside(name)} is used up.`,
        "wait",
        "Nothing to do: asking again does not bring it back, and Tower tries later by itself.",
      ),
      network: said(
        `${name} cannot be reached.`,
        "check_network",
        "Nothing to do if it passes. If it stays, check this machine's way to the internet.",
      ),
      provider_error: said(`${name} answers with a fault of its own.`, "wait", LATER),
      invalid_report: said(
        `What ${inside(name)} answers is not the report that was asked for.`,
        "wait",
        "Nothing of it is stored, and Tower asks again by itself. If it stays, look for a newer release of Tower.",
      ),
      incomplete_report: said(
        `What ${inside(name)} answers is only a part of the report.`,
        "wait",
        "Nothing of it is stored, and Tower asks again by itself.",
      ),
      configuration: said(
        `${name} does not take the question as it is set up.`,
        "check_setup",
        "Check the property, the credential, and that the provider's API is enabled.",
      ),
      monitoring_failure: said(
        "Tower could not compare or write down what came of it.",
        "check_storage",
        CHECK_DATA,
      ),
    },
    states: {
      never_run: said(`${name} was not asked about it yet.`, "wait", `Nothing to do: Tower asks ${cadence}.`),
      stale: said(
        "No usable report came when it was due.",
        "check_job",
        "Check on System Health that Tower's jobs run.",
      ),
      disconnected: said(
        `The connection to ${inside(name)} was taken away.`,
        "connect",
        "Attach a property again, or forget the connection.",
      ),
      unmonitored: UNMONITORED,
      paused: said("An operator paused it.", "resume", "Resume it when it is to be asked for again."),
      idle: said("No report is due.", "none", NOTHING.text),
    },
  };
}

/** Traffic now, which is asked for while somebody looks. */
export function liveCopy(name: string): CapabilityCopy {
  const { failures, states } = readCopy(name, "");
  return {
    asksByItself: true,
    failures: {
      ...failures,
      monitoring_failure: said("Tower could not write down what came of it.", "check_storage", CHECK_DATA),
    },
    states: {
      ...states,
      never_run: said(
        "Traffic was not asked for yet.",
        "open_page",
        "Nothing to do: it is asked for while somebody looks at the site's page.",
      ),
      stale: said("No answer came while somebody looked.", "open_page", "Open the site's page again."),
      idle: said(
        "Nobody looks at it now.",
        "none",
        "Nothing to do: it is asked for while somebody looks at the site's page.",
      ),
    },
  };
}

/** What an operator asks of an account: `act` names what is done, `again` tells to do it. */
function askedCopy(
  name: string,
  { act, code, again }: { readonly act: string; readonly code: ActionCode; readonly again: string },
): CapabilityCopy {
  return {
    asksByItself: false,
    failures: {
      access: said(
        `${name} does not let the account in.`,
        "replace_credential",
        "Check the account's rights at the provider, or replace the credential.",
      ),
      rate_limit: said(`${name} asks to be asked less often.`, code, `Wait a few minutes, then ${again}.`),
      exhausted_budget: said(
        `The account's allowance at ${inside(name)} is used up.`,
        code,
        `Asking at once does not bring it back: ${again} later.`,
      ),
      network: said(
        `${name} cannot be reached.`,
        "check_network",
        `Check this machine's way to the internet, then ${again}.`,
      ),
      provider_error: said(`${name} answers with a fault of its own.`, code, `Wait a while, then ${again}.`),
      invalid_report: said(
        `What ${inside(name)} answers cannot be read.`,
        code,
        `Wait a while, then ${again}. If it stays, look for a newer release of Tower.`,
      ),
      incomplete_report: said(
        `What ${inside(name)} answers does not come to its end.`,
        code,
        `Wait a while, then ${again}.`,
      ),
      configuration: said(
        `${name} does not take the account as it is set up.`,
        "check_setup",
        "Check the credential, and that the provider's API is enabled in its project.",
      ),
      monitoring_failure: said(
        `Tower could not write down what came of the ${act}.`,
        "check_storage",
        CHECK_DATA,
      ),
    },
    states: {
      never_run: said(
        act === "test" ? "The account was not tested yet." : "The account's sites were not listed yet.",
        code,
        `To know more, ${again.replace(" again", "")}.`,
      ),
      stale: said(`The last ${act} is too old to rely on.`, code, `To know more, ${again}.`),
      disconnected: said(
        "The credential was removed.",
        "connect",
        "Add a credential where the account is still needed, or forget it.",
      ),
      unmonitored: UNMONITORED,
      paused: said("An operator paused it.", "resume", "Resume it when it is to be used again."),
      idle: said(
        `The last ${act} came off. Whether reports come is told by their own rows.`,
        "none",
        NOTHING.text,
      ),
    },
  };
}

export const testCopy = (name: string): CapabilityCopy =>
  askedCopy(name, { act: "test", code: "test_account", again: "test the account again on its page" });

export const discoveryCopy = (name: string): CapabilityCopy =>
  askedCopy(name, {
    act: "listing",
    code: "list_sites",
    again: "list the account's sites again on its page",
  });

/** What is sent to Tower: `thing` is what is sent, `sender` who sends it. */
function sentCopy({
  thing,
  sender,
  states,
}: {
  readonly thing: string;
  readonly sender: string;
  readonly states: Pick<CapabilityCopy["states"], "never_run" | "stale" | "idle">;
}): CapabilityCopy {
  return {
    asksByItself: false,
    failures: {
      access: said(
        `The last ${thing} came with a token that does not cover it.`,
        "check_token",
        `Give ${sender} a token of its own.`,
      ),
      rate_limit: said(
        `Tower was sent more at once than it takes, so the last ${thing} is not stored.`,
        "send_again",
        `Let ${sender} send it again after the time that the answer names.`,
      ),
      exhausted_budget: said(
        `The last ${thing} goes beyond what Tower keeps of one sender, so it is not stored.`,
        "correct_report",
        `Let ${sender} send less, as the answer says.`,
      ),
      network: said(
        `The last ${thing} did not arrive.`,
        "check_network",
        `Check the way from ${sender} to Tower, then send it again.`,
      ),
      provider_error: said(
        `${sender.slice(0, 1).toUpperCase()}${sender.slice(1)} could not make the last ${thing}.`,
        "check_sender",
        `Look at what ${sender} itself says about it.`,
      ),
      invalid_report: said(
        `The last ${thing} breaks the contract, so it is not stored.`,
        "correct_report",
        "Correct what the answer named, then send it again.",
      ),
      incomplete_report: said(
        `The last ${thing} did not come to its end, so it is not stored.`,
        "send_again",
        "Send it again.",
      ),
      configuration: said(
        `The last ${thing} was not sent as Tower takes it, so it is not stored.`,
        "check_setup",
        `Check how ${sender} sends it: the address, the content type and the site's id.`,
      ),
      monitoring_failure: said(
        `Tower could not store the last ${thing}.`,
        "check_storage",
        "Check this machine's storage, then send it again.",
      ),
    },
    states: {
      ...states,
      disconnected: said(
        `Tower takes no ${thing} from here any more.`,
        "connect",
        `Give ${sender} a token again.`,
      ),
      unmonitored: UNMONITORED,
      paused: said(
        "An operator paused it. What is sent is stored all the same.",
        "resume",
        "Resume it when silence is to be told again.",
      ),
    },
  };
}

export const NIGHTLY_COPY: CapabilityCopy = sentCopy({
  thing: "nightly report",
  sender: "the site",
  states: {
    never_run: said(
      "No nightly report has come.",
      "set_up_sending",
      "Set up the site's nightly report: its page has the command.",
    ),
    stale: said(
      "The site has been silent for longer than it may be.",
      "check_sender",
      "Check at the site that its nightly job still runs.",
    ),
    idle: said("No nightly report is due from the site.", "none", NOTHING.text),
  },
});

export const CODEBASE_COPY: CapabilityCopy = sentCopy({
  thing: "codebase report",
  sender: "the repository",
  states: {
    never_run: said(
      "No codebase report has come.",
      "set_up_sending",
      "Set up the repository's workflow: the site's codebase tab has it.",
    ),
    stale: said(
      "No codebase report came when it was due.",
      "check_sender",
      "Check that the repository's workflow still runs.",
    ),
    idle: said(
      "No codebase report came in the last 8 days.",
      "none",
      "Nothing to do: the next push sends one.",
    ),
  },
});

export const ANNOTATION_COPY: CapabilityCopy = sentCopy({
  thing: "annotation",
  sender: "the sender",
  states: {
    never_run: said(
      "No annotation was sent with this token.",
      "none",
      "Nothing to do: it is sent when there is something to note.",
    ),
    stale: said("No annotation came when it was due.", "check_sender", "Check that the sender still sends."),
    idle: said(
      "Nothing was noted lately.",
      "none",
      "Nothing to do: it is sent when there is something to note.",
    ),
  },
});
