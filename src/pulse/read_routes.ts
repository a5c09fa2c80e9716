import { type ReportReadDeps, reportList, reportReads } from "../assets/mod.ts";
import { SEND_PULSE } from "./routes.ts";
import { listPulses } from "./store.ts";

export const LIST_PULSES = reportList("pulses", {
  id: "listNightlyReports",
  summary: "List the nightly reports of a site",
  body: "Pulse",
  example: SEND_PULSE.takes.example,
});

/** `GET /api/assets/{asset}/pulses`. */
export function pulseReads(deps: ReportReadDeps) {
  return reportReads(LIST_PULSES, deps, listPulses);
}
