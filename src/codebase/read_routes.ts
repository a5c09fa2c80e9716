import { type ReportReadDeps, reportList, reportReads } from "../assets/mod.ts";
import { listSentReports } from "./store.ts";

export const LIST_CODEBASE_REPORTS = reportList(
  "codebase-reports",
  "Codebase reports of a site, as they were sent",
  "CodebaseReport",
);

/** `GET /api/assets/{asset}/codebase-reports`. */
export function codebaseReads(deps: ReportReadDeps) {
  return reportReads(LIST_CODEBASE_REPORTS, deps, listSentReports);
}
