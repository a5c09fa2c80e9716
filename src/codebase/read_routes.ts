import { type ReportReadDeps, reportReads } from "../assets/mod.ts";
import { listSentReports } from "./store.ts";

/** `GET /api/assets/{asset}/codebase-reports`. */
export function codebaseReads(deps: ReportReadDeps) {
  return reportReads("codebase-reports", deps, listSentReports);
}
