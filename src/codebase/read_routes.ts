import { type ReportReadDeps, reportList, reportReads } from "../assets/mod.ts";
import { SEND_CODEBASE_REPORT } from "./routes.ts";
import { listSentReports } from "./store.ts";

export const LIST_CODEBASE_REPORTS = reportList("codebase-reports", {
  id: "listCodebaseReports",
  summary: "List the codebase reports of a site",
  body: "CodebaseReport",
  example: SEND_CODEBASE_REPORT.takes.example,
});

/** `GET /api/assets/{asset}/codebase-reports`. */
export function codebaseReads(deps: ReportReadDeps) {
  return reportReads(LIST_CODEBASE_REPORTS, deps, listSentReports);
}
