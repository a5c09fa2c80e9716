/** The words of sending notices. */
import { FAULT_CODES, type FaultCode } from "../provider/fault_codes.ts";
import { type Action, type CapabilityCopy, CHECK_DATA, NOTHING, said, UNMONITORED, WAIT } from "./copy.ts";

const ADDRESS = { code: "check_setup", text: FAULT_CODES.receiver_refused.action } as const;
const SIGN_IN = { code: "replace_credential", text: FAULT_CODES.receiver_denied.action } as const;

/** `again` is what helps where only time does, and what is said before anything was sent. */
function noticeCopy(
  again: Action,
  states: Pick<CapabilityCopy["states"], "never_run" | "idle">,
): CapabilityCopy {
  const of = (code: FaultCode, action = again) => ({ why: FAULT_CODES[code].words, action });
  return {
    again,
    failures: {
      access: of("receiver_denied", SIGN_IN),
      rate_limit: of("receiver_busy"),
      exhausted_budget: { why: "The receiver takes no more notices for now.", action: again },
      network: of("receiver_unreachable"),
      provider_error: of("receiver_failed"),
      invalid_report: { why: "The receiver's answer cannot be read.", action: ADDRESS },
      incomplete_report: of("receiver_cut_off"),
      configuration: of("receiver_refused", ADDRESS),
      monitoring_failure: said("Tower could not record what was sent.", "check_storage", CHECK_DATA),
    },
    states: {
      ...states,
      stale: said("A notice waits longer than it should.", "check_job", "Check that Tower's jobs run."),
      disconnected: said("The channel was removed.", "connect", "Add a channel where one is still needed."),
      unmonitored: UNMONITORED,
      paused: said("An operator paused the channel.", "resume", "Resume it to send notices again."),
    },
  };
}

/** Notices that are sent when there is something to tell. */
export const NOTICE_COPY = noticeCopy(WAIT, {
  never_run: said("Nothing was sent yet.", "none", NOTHING.text),
  idle: said("No notice is waiting.", "none", NOTHING.text),
});

/** Tests, which say nothing of real notices. */
export const NOTICE_TEST_COPY = noticeCopy(
  { code: "send_again", text: "Wait a few minutes, then send the test again." },
  {
    never_run: said("The channel was not tested yet.", "send_again", "Send a test to see whether it works."),
    idle: said("No test is under way.", "none", NOTHING.text),
  },
);
