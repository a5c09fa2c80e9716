/** `POST /api/codebase-report` and its list. */

import { Elysia } from "elysia";
import type { ReadDeps } from "../access/access.ts";
import {
  assetId,
  date,
  type Endpoint,
  instant,
  list,
  object,
  orNull,
  pointers,
  revision,
  text,
} from "../base/api_description.ts";
import { RECEIVE_REFUSALS } from "../base/receive.ts";
import { reportList, reportReads } from "../sites/report_lists.ts";
import { type ReportSenderDeps, SENDER_REFUSALS, takeReport } from "../sites/report_sender.ts";
import { CODEBASE_RULES } from "../sites/rule_catalogue.ts";
import type { CodebaseThresholds } from "../sites/thresholds.ts";
import type { Core } from "../store/core.ts";
import { acceptReport, listSentReports } from "./codebase.ts";
import { CodebaseReportSchema, MAX_REPORT_BYTES, MEASURE_KEYS, unmeasuredKeys } from "./measures.ts";

interface CodebaseIngestDeps extends ReportSenderDeps, Core {
  readonly codebaseThresholds: (asset: string) => CodebaseThresholds;
}

const changedFlags = list(object({ id: text, rule: text }));

const EXAMPLE = {
  asset: "shop.example",
  generatedAt: "2026-11-21T02:17:00Z",
  repository: {
    remote: "https://git.example/shop.git",
    ref: "refs/heads/main",
    commit: "0123456789abcdef0123456789abcdef01234567",
    committedAt: "2026-11-20T16:40:12Z",
  },
  tools: { line_counter: "1.0.0" },
  measures: { code_lines: 12000, files: 210, test_ratio: 0.5, duplication_percent: 2.5, build_passed: 1 },
  unmeasured: { vulnerable_dependencies: "No scanner ran." },
  byLanguage: [{ language: "TypeScript", files: 200, code_lines: 11000 }],
};

export const SEND_CODEBASE_REPORT = {
  id: "sendCodebaseReport",
  tag: "Reports",
  method: "POST",
  path: "/api/codebase-report",
  listeners: ["ingest"],
  summary: "Send a codebase report",
  description:
    "What was measured in one commit of a site's code; `tower measure` makes it. `generatedAt` must not be more than 5 minutes ahead of the service's clock. A body has at most 256 KiB.",
  open: "site",
  takes: { name: "CodebaseReport", schema: CodebaseReportSchema, example: EXAMPLE },
  answers: {
    201: {
      description: "Stored as the next revision of its UTC day; the five rules have run.",
      shape: object({
        asset: assetId,
        date,
        revision,
        receivedAt: instant,
        comparison: {
          ...orNull(object({ date, revision })),
          description: "The earlier report that the rules compared with.",
        },
        alerts: object({ raised: changedFlags, resolved: changedFlags }),
        unmeasured: {
          ...list({ type: "string", enum: MEASURE_KEYS }),
          description: "Measures without a value.",
        },
        ignored: pointers,
      }),
      example: {
        asset: "shop.example",
        date: "2026-11-21",
        revision: 1,
        receivedAt: "2026-11-21T02:17:03.402Z",
        comparison: { date: "2026-10-20", revision: 2 },
        alerts: {
          raised: [{ id: "b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21", rule: CODEBASE_RULES[0] }],
          resolved: [],
        },
        unmeasured: MEASURE_KEYS.filter((key) => !Object.hasOwn(EXAMPLE.measures, key)),
        ignored: [],
      },
    },
  },
  refuses: [...SENDER_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/codebase-report`. */
export function codebaseIngest(deps: CodebaseIngestDeps) {
  const { ids, codebaseThresholds } = deps;
  return new Elysia().post(
    SEND_CODEBASE_REPORT.path,
    ({ request }) =>
      takeReport(request, deps, {
        schema: CodebaseReportSchema,
        maxBytes: MAX_REPORT_BYTES,
        store: (tx, taken) => {
          const thresholds = codebaseThresholds(taken.report.asset);
          return acceptReport(tx, { ...taken, thresholds, newId: ids.uuid });
        },
        told: ({ comparison, alerts }, { measures }) => ({
          comparison,
          alerts,
          unmeasured: unmeasuredKeys(measures),
        }),
      }),
    { parse: "none" },
  );
}

export const LIST_CODEBASE_REPORTS = reportList("codebase-reports", {
  id: "listCodebaseReports",
  summary: "List the codebase reports of a site",
  body: "CodebaseReport",
  example: SEND_CODEBASE_REPORT.takes.example,
});

/** `GET /api/assets/{asset}/codebase-reports`. */
export function codebaseReads(deps: ReadDeps) {
  return reportReads(LIST_CODEBASE_REPORTS, deps, listSentReports);
}
