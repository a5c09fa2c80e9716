import { Elysia } from "elysia";
import { assertOwnAsset, fromKnownSite, type KnownToken, type ReportSenderDeps } from "../assets/mod.ts";
import type { Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Ids } from "../platform/ids.ts";
import { assertNotAhead } from "../platform/not_ahead.ts";
import { receive } from "../platform/receive.ts";
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

/** `POST /api/codebase-report`. */
export function codebaseIngest(deps: CodebaseIngestDeps) {
  return new Elysia({ name: "codebase-ingest" }).post(
    "/api/codebase-report",
    ({ request }) => fromKnownSite(request, deps, (token) => receiveReport(request, deps, token)),
    { parse: "none" },
  );
}

async function receiveReport(
  request: Request,
  deps: CodebaseIngestDeps,
  token: KnownToken,
): Promise<Response> {
  const { value, ignored, text } = await receive(request, {
    schema: CodebaseReportSchema,
    maxBytes: MAX_REPORT_BYTES,
  });
  const receivedAt = deps.clock.now();
  assertNotAhead(value.generatedAt, receivedAt);
  assertOwnAsset(token, value.asset);
  const thresholds = deps.codebaseThresholds(value.asset);
  const body = ignored.length === 0 ? text : JSON.stringify(value);
  const accepted = await deps.writer.write((tx) =>
    acceptReport(tx, { report: value, body, receivedAt, thresholds, newId: deps.ids.uuid }),
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
