/** The words of what is asked of providers. */
import { capital } from "../lib/capital.ts";
import type { FailureCategory } from "../provider/contract.ts";
import { LATER } from "../provider/fault_codes.ts";
import {
  type Action,
  type ActionCode,
  type CapabilityCopy,
  CHECK_DATA,
  NOTHING,
  said,
  type Told,
  UNMONITORED,
  WAIT,
  type Words,
  wordsOf,
} from "./copy.ts";

/** `Search console` inside a sentence. */
const inside = (name: string) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;

/** Figures that are asked for by schedule; `cadence` says how often. */
export function readCopy(name: string, cadence: string): CapabilityCopy {
  return {
    again: WAIT,
    failures: {
      access: said(
        `The account is refused access by ${inside(name)}.`,
        "give_access",
        "Check that the account may see the property, or replace the credential.",
      ),
      rate_limit: said(
        `Too many questions went to ${inside(name)}.`,
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
      provider_error: said(`There is a fault at ${inside(name)} itself.`, "wait", LATER),
      invalid_report: said(
        `The answer of ${inside(name)} is not the report that was asked for.`,
        "wait",
        "Nothing of it is stored, and Tower asks again by itself. If it stays, look for a newer release of Tower.",
      ),
      incomplete_report: said(
        `The answer of ${inside(name)} is only a part of the report.`,
        "wait",
        "Nothing of it is stored, and Tower asks again by itself.",
      ),
      configuration: said(
        `As it is set up, the question is refused by ${inside(name)}.`,
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
      never_run: said(
        `No question about it went to ${inside(name)} yet.`,
        "wait",
        `Nothing to do: Tower asks ${cadence}.`,
      ),
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

/** Panels of search results: an answer is paid for, so that none is asked for again before its panel is due. */
export function panelCopy(name: string): CapabilityCopy {
  const copy = readCopy(name, "when the panel is due");
  const next = "Nothing to do: Tower asks again when the panel is next due.";
  const add = "Add a credential of DataForSEO, or remove the panel.";
  return {
    again: { code: "wait", text: next },
    failures: {
      ...copy.failures,
      provider_error: said("There is a fault at DataForSEO itself.", "wait", next),
      network: said("DataForSEO cannot be reached.", "check_network", next),
    },
    states: {
      ...copy.states,
      disconnected: said("There is no DataForSEO account to ask with.", "connect", add),
    },
  };
}

/** Calendars: what an account or a property would be is the address alone. */
export function calendarCopy(cadence: string): CapabilityCopy {
  const { again, failures, states } = readCopy("The calendar's server", cadence);
  return {
    again,
    failures: {
      ...failures,
      access: said(
        "The calendar's server does not let Tower in.",
        "replace_credential",
        "Copy the address again, remove the calendar and add it anew. What it told stays.",
      ),
      invalid_report: said(
        "The answer is no calendar, or one that is too large to read.",
        "check_setup",
        "Open the address in a browser: it must give a calendar file of at most 10 MiB. The timeline stays as it is.",
      ),
      configuration: said(
        "The calendar's server does not know the address, or it leads elsewhere or is private.",
        "check_setup",
        "Add the calendar anew with its current address. OUTBOUND_ALLOWED_HOSTS names private hosts that may be read.",
      ),
    },
    states,
  };
}

/** Reports that are asked for by schedule and kept whole: what is kept stays, whatever comes of the next. */
export function archiveCopy(name: string, cadence: string): CapabilityCopy {
  const { again, failures, states } = readCopy(name, cadence);
  return {
    again,
    failures: {
      ...failures,
      invalid_report: said(
        failures.invalid_report.why,
        "wait",
        "What is archived stays, and Tower asks again by itself. If it lasts, look for a newer release of Tower.",
      ),
      incomplete_report: said(
        `Only a part of the report came from ${inside(name)}.`,
        "wait",
        "The part is kept, no figure is read from it, and Tower asks again by itself.",
      ),
      monitoring_failure: said("Tower could not read or store what came.", "check_storage", CHECK_DATA),
    },
    states: {
      ...states,
      never_run: said("Nothing of it is archived yet.", "wait", `Nothing to do: Tower asks ${cadence}.`),
      stale: said(
        "Nothing came to the archive when it was due.",
        "check_job",
        "Check on System Health that Tower's jobs run.",
      ),
      disconnected: said(
        `The connection to ${inside(name)} was taken away; what is archived stays.`,
        "connect",
        "Attach a property again, or forget the connection.",
      ),
      paused: said("An operator paused it.", "resume", "Resume it when it is to be archived again."),
      idle: said("It is archived, and its date is not asked for again.", "none", NOTHING.text),
    },
  };
}

/** Whichever provider it is: what is told stands beside the provider's name, or in a list of several. */
const PROVIDER_COPY = readCopy("The provider", "at its next turn");

/** What is said of a failure of what is asked of a provider: by schedule, where no capability is named. */
export const failureWords = (
  failure: Pick<Told, "category" | "code">,
  copy: CapabilityCopy = PROVIDER_COPY,
): Words => wordsOf(copy, { ...failure, state: "failing", cause: undefined });

const LOOK_AGAIN: Action = {
  code: "open_page",
  text: "Nothing to do: it is asked for again while somebody looks at the site's page.",
};

/** Traffic now, which is asked for while somebody looks: nothing is tried again by itself. */
export function liveCopy(name: string): CapabilityCopy {
  const { failures, states } = readCopy(name, "");
  const again = (category: FailureCategory): Words => ({ ...failures[category], action: LOOK_AGAIN });
  return {
    again: LOOK_AGAIN,
    failures: {
      ...failures,
      rate_limit: again("rate_limit"),
      exhausted_budget: again("exhausted_budget"),
      provider_error: again("provider_error"),
      invalid_report: said(
        failures.invalid_report.why,
        "open_page",
        "Open the site's page again: nothing of it is stored. If it stays, look for a newer release of Tower.",
      ),
      incomplete_report: again("incomplete_report"),
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
    again: { code, text: `${capital(again)}.` },
    failures: {
      access: said(
        `The account is not let in by ${inside(name)}.`,
        "replace_credential",
        "Check the account's rights at the provider, or replace the credential.",
      ),
      rate_limit: said(
        `Too many questions went to ${inside(name)}.`,
        code,
        `Wait a few minutes, then ${again}.`,
      ),
      exhausted_budget: said(
        `The account's allowance at ${inside(name)} is used up.`,
        code,
        `Asking at once does not bring it back: later, ${again}.`,
      ),
      network: said(
        `${name} cannot be reached.`,
        "check_network",
        `Check this machine's way to the internet, then ${again}.`,
      ),
      provider_error: said(
        `There is a fault at ${inside(name)} itself.`,
        code,
        `Wait a while, then ${again}.`,
      ),
      invalid_report: said(
        `The answer of ${inside(name)} cannot be read.`,
        code,
        `Wait a while, then ${again}. If it stays, look for a newer release of Tower.`,
      ),
      incomplete_report: said(
        `The answer of ${inside(name)} is cut off.`,
        code,
        `Wait a while, then ${again}.`,
      ),
      configuration: said(
        `As it is set up, the account is refused by ${inside(name)}.`,
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
      idle: said("Nothing is due. Whether reports come is told by their own rows.", "none", NOTHING.text),
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

/** Notices, or tests of channels, which say nothing of real notices. A receiver's failure has a code, whose words stand in the place of a category's. */
export function noticeCopy(isTest: boolean): CapabilityCopy {
  const [name, test] = [
    "The receiver",
    { act: "test", code: "send_again", again: "send the test again" },
  ] as const;
  const copy = isTest ? askedCopy(name, test) : readCopy(name, "when there is something to tell");
  return {
    ...copy,
    states: {
      ...copy.states,
      never_run: isTest
        ? said("The channel was not tested yet.", "send_again", "Send a test to see whether it works.")
        : said("Nothing was sent yet.", "none", NOTHING.text),
      idle: said(isTest ? "No test is under way." : "No notice is waiting.", "none", NOTHING.text),
      stale: said("A notice waits longer than it should.", "check_job", "Check that Tower's jobs run."),
      disconnected: said("The channel was removed.", "connect", "Add a channel where one is still needed."),
      paused: said("An operator paused the channel.", "resume", "Resume it to send notices again."),
    },
  };
}
