/** The words of what is sent to Tower. */
import { capital } from "../lib/capital.ts";
import { type CapabilityCopy, NOTHING, said, UNMONITORED } from "./copy.ts";

/** What is sent to Tower: `thing` is what is sent, `sender` who sends it, `token` what lets them. */
function sentCopy({
  thing,
  sender,
  token,
  states,
}: {
  readonly thing: string;
  readonly sender: string;
  readonly token: string;
  readonly states: Pick<CapabilityCopy["states"], "never_run" | "stale" | "idle">;
}): CapabilityCopy {
  return {
    again: { code: "send_again", text: "Send it again." },
    failures: {
      access: said(
        `The last ${thing} came with a token that does not cover it.`,
        "check_token",
        `Give ${sender} ${token}.`,
      ),
      rate_limit: said(
        `More came at once than Tower takes, so the last ${thing} is not stored.`,
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
        `${capital(sender)} could not make the last ${thing}.`,
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
        `Give ${sender} ${token} again.`,
      ),
      unmonitored: UNMONITORED,
      paused: said(
        "An operator paused it. What is sent is stored all the same.",
        "resume",
        "Resume it when silence matters again.",
      ),
    },
  };
}

export const NIGHTLY_COPY: CapabilityCopy = sentCopy({
  thing: "nightly report",
  sender: "the site",
  token: "a token of its own",
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
  token: "the site's own token",
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
  token: "a token that may post annotations",
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
