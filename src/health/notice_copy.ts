/** The words of sending notices. */
import { FAULT_CODES, type FaultCode } from "../provider/fault_codes.ts";
import {
  type Action,
  type ActionCode,
  type CapabilityCopy,
  CHECK_DATA,
  NOTHING,
  said,
  UNMONITORED,
  WAIT,
} from "./copy.ts";

const ofCode = (code: FaultCode, action: ActionCode) =>
  said(FAULT_CODES[code].words, action, FAULT_CODES[code].action);

/** `again` is what helps where only time does. */
const failures = (again: Action): CapabilityCopy["failures"] => ({
  access: ofCode("receiver_denied", "replace_credential"),
  rate_limit: { why: FAULT_CODES.receiver_busy.words, action: again },
  exhausted_budget: { why: "The receiver takes no more notices for now.", action: again },
  network: { why: FAULT_CODES.receiver_unreachable.words, action: again },
  provider_error: { why: FAULT_CODES.receiver_failed.words, action: again },
  invalid_report: said(
    "The answer of the receiver cannot be read.",
    "check_setup",
    "Check the channel's address.",
  ),
  incomplete_report: { why: FAULT_CODES.receiver_cut_off.words, action: again },
  configuration: ofCode("receiver_refused", "check_setup"),
  monitoring_failure: said(
    "Tower could not record whether the notice was sent.",
    "check_storage",
    CHECK_DATA,
  ),
});

const STATES = {
  stale: said(
    "A notice waits longer than it should.",
    "check_job",
    "Check on System Health that Tower's jobs run.",
  ),
  disconnected: said(
    "The channel was removed. Nothing is sent to it.",
    "connect",
    "Add a channel if somebody should still be notified.",
  ),
  unmonitored: UNMONITORED,
  paused: said("An operator paused the channel. Nothing is sent to it.", "resume", "Resume the channel."),
};

const TEST_IT = "Send a test to see whether the channel works.";

/** Notices that are sent when there is something to tell. */
export const NOTICE_COPY: CapabilityCopy = {
  again: WAIT,
  failures: failures(WAIT),
  states: {
    ...STATES,
    never_run: said("Nothing was sent yet.", "send_again", TEST_IT),
    idle: said("No notice is waiting.", "none", NOTHING.text),
  },
};

const TEST_AGAIN: Action = { code: "send_again", text: "Wait a few minutes, then send the test again." };

/** Tests, which say nothing of real notices. */
export const NOTICE_TEST_COPY: CapabilityCopy = {
  again: TEST_AGAIN,
  failures: failures(TEST_AGAIN),
  states: {
    ...STATES,
    never_run: said("The channel was not tested yet.", "send_again", TEST_IT),
    idle: said("No test is under way. Tests don't count as sent notices.", "none", NOTHING.text),
  },
};
