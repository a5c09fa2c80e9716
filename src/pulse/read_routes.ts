import { type ReportReadDeps, reportReads } from "../assets/mod.ts";
import { listPulses } from "./store.ts";

/** `GET /api/assets/{asset}/pulses`. */
export function pulseReads(deps: ReportReadDeps) {
  return reportReads("pulses", deps, listPulses);
}
