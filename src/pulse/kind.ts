import { packable, type ReportKind, reportCheck } from "../reports/mod.ts";
import { judgedUpTo } from "./waiting_store.ts";

/** How nightly reports are kept. */
export const PULSE: ReportKind = {
  called: "nightly report",
  rows: "pulse",
  bodies: "pulse_body",
  packs: "pulse_pack",
  own: [],
};

/** Those that wait to be judged are read once more, each in its turn among the sites, and are packed after that. */
export const PACKABLE_PULSES = packable(PULSE, judgedUpTo);

export const { revisionFaults: pulseRevisionFaults, bodyFaults: pulseBodyFaults } = reportCheck(PULSE);
