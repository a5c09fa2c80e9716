import { type ReportReadDeps, reportList, reportReads } from "../assets/mod.ts";
import { listPulses } from "./store.ts";

export const LIST_PULSES = reportList("pulses", "Nightly reports of a site, as they were sent", "Pulse");

/** `GET /api/assets/{asset}/pulses`. */
export function pulseReads(deps: ReportReadDeps) {
  return reportReads(LIST_PULSES, deps, listPulses);
}
