import { Elysia } from "elysia";
import {
  assertOwnAsset,
  fromKnownSite,
  type KnownToken,
  type ReportSenderDeps,
  SENDER_REFUSALS,
} from "../assets/mod.ts";
import type { Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import type { Ids } from "../platform/ids.ts";
import { count, date, instant, list, object, orNull, pointers, text } from "../platform/json_schema.ts";
import { assertNotAhead } from "../platform/not_ahead.ts";
import { RECEIVE_REFUSALS, receive } from "../platform/receive.ts";
import type { CodebaseThresholds } from "../rules/mod.ts";
import { acceptReport } from "./accept.ts";
import { CodebaseReportSchema, MAX_REPORT_BYTES } from "./contract.ts";
import { unmeasuredKeys } from "./measures.ts";

/** What the ingest of codebase reports needs. */
export interface CodebaseIngestDeps extends ReportSenderDeps {
  readonly writer: Writer;
  readonly ids: Ids;
  readonly codebaseThresholds: (asset: string) => CodebaseThresholds;
}

const changedFlags = list(object({ id: text, rule: text }));

export const SEND_CODEBASE_REPORT = {
  method: "POST",
  path: "/api/codebase-report",
  listeners: ["ingest"],
  summary: "Send a codebase report (ingest listener, site token, at most 256 KiB)",
  open: "token",
  takes: { name: "CodebaseReport", schema: CodebaseReportSchema },
  answers: {
    201: {
      description: "Stored as the next revision of its UTC day; the five rules have run.",
      shape: object({
        asset: text,
        date,
        revision: count,
        receivedAt: instant,
        comparison: orNull(object({ date, revision: count })),
        alerts: object({ raised: changedFlags, resolved: changedFlags }),
        unmeasured: list(text),
        ignored: pointers,
      }),
    },
  },
  refuses: [...SENDER_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/codebase-report`. */
export function codebaseIngest(deps: CodebaseIngestDeps) {
  return new Elysia({ name: "codebase-ingest" }).post(
    SEND_CODEBASE_REPORT.path,
    ({ request }) => fromKnownSite(request, deps, (token) => receiveReport(request, deps, token)),
    { parse: "none" },
  );
}

async function receiveReport(
  request: Request,
  deps: CodebaseIngestDeps,
  token: KnownToken,
): Promise<Response> {
  const {
    value,
    ignored,
    text: sent,
  } = await receive(request, {
    schema: CodebaseReportSchema,
    maxBytes: MAX_REPORT_BYTES,
  });
  const receivedAt = deps.clock.now();
  assertNotAhead(value.generatedAt, receivedAt);
  assertOwnAsset(token, value.asset);
  const thresholds = deps.codebaseThresholds(value.asset);
  const body = ignored.length === 0 ? sent : JSON.stringify(value);
  const accepted = await deps.writer.write(
    (tx) => acceptReport(tx, { report: value, body, receivedAt, thresholds, newId: deps.ids.uuid }),
    { isRepeatable: true },
  );
  return Response.json(
    {
      asset: value.asset,
      date: accepted.date,
      revision: accepted.revision,
      receivedAt: formatInstant(receivedAt),
      comparison: accepted.comparison,
      alerts: accepted.alerts,
      unmeasured: unmeasuredKeys(value.measures),
      ignored,
    },
    { status: 201 },
  );
}
