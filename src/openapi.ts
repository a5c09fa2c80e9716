/** The API's description: OpenAPI 3.1, its shapes made from the very contracts that judge the bodies. */

import packageFile from "../package.json" with { type: "json" };
import { annotationSchema } from "./annotations/mod.ts";
import { CodebaseReportSchema } from "./codebase/contract.ts";
import { SERIES_SOURCES } from "./flags/contract.ts";
import {
  changedAlerts,
  count,
  date,
  instant,
  type Json,
  json,
  list,
  object,
  orNull,
  pointers,
  ref,
  SCHEMAS,
  schemaOf,
  text,
} from "./openapi_schemas.ts";
import { PROBLEMS, type ProblemCode } from "./platform/problem.ts";
import { PulseSchema } from "./pulse/contract.ts";

/** What each refusal means where it can happen, in the order of the checks. */
const RECEIVE_REFUSALS: readonly ProblemCode[] = [
  "unknown-host",
  "browser-origin",
  "unauthenticated",
  "insufficient-scope",
  "too-many-requests",
  "unsupported-media-type",
  "body-too-large",
  "request-timeout",
  "incomplete-body",
  "unsupported-encoding",
  "malformed-json",
  "broken-contract",
  "asset-mismatch",
  "storage-unavailable",
];
const READ_REFUSALS: readonly ProblemCode[] = [
  "unknown-host",
  "unauthenticated",
  "insufficient-scope",
  "malformed-query",
];

function refusals(codes: readonly ProblemCode[]): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const { status, title } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${title}.`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      status,
      { description: lines.join(" "), content: { "application/problem+json": { schema: ref("Problem") } } },
    ]),
  );
}

const query = (name: string, schema: Json, description: string): Json => ({
  name,
  in: "query",
  required: false,
  schema,
  description,
});
const PAGING: readonly Json[] = [
  query(
    "limit",
    { type: "integer", minimum: 1, maximum: 500, default: 100 },
    "Most rows in one answer; it also ends at 4 MiB, with one row at least. `next` goes on from there.",
  ),
  query("cursor", text, "`next` of the answer before."),
];
const DATES: readonly Json[] = [
  query("from", date, "First day, inclusive."),
  query("to", date, "Last day, inclusive."),
];
const ASSET_IN_PATH: Json = { name: "asset", in: "path", required: true, schema: text };
const REVISIONS = query("revisions", { enum: ["current", "all"] }, "`all` shows superseded revisions too.");

function reading(
  summary: string,
  items: Json,
  parameters: readonly Json[],
  refused: readonly ProblemCode[] = READ_REFUSALS,
): Json {
  return {
    summary,
    security: [{ token: [] }, { session: [] }],
    parameters: [...parameters, ...PAGING],
    responses: {
      200: { description: "One page, newest first.", content: json(list(items)) },
      ...refusals(refused),
    },
  };
}

function receiving(summary: string, body: Json, responses: Json, refused = RECEIVE_REFUSALS): Json {
  return {
    summary,
    security: [{ token: [] }],
    requestBody: { required: true, content: json(body) },
    responses: { ...responses, ...refusals(refused) },
  };
}

const sent = (name: string): Json => ({
  allOf: [ref(name), object({ date, revision: count, receivedAt: instant })],
});

/** The reports of a site: all there is to narrow them to, and a site that is in no portfolio. */
function readingReports(summary: string, name: string): Json {
  const asset = query("asset", text, "The site again: with another one the list is empty.");
  return reading(
    summary,
    sent(name),
    [ASSET_IN_PATH, asset, REVISIONS, ...DATES],
    [...READ_REFUSALS, "not-found"],
  );
}

const ANNOTATION_ROW: Json = {
  allOf: [ref("Annotation"), object({ id: text, receivedAt: instant, postedBy: text })],
};
const POSTED_ANNOTATION: Json = {
  allOf: [
    ANNOTATION_ROW,
    object({ ignored: { ...pointers, description: "Fields that the contract does not know, if any." } }, []),
  ],
};

/** The whole document. */
export function openApiDocument(): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tower",
      version: packageFile.version,
      description:
        "Reports are sent to the ingest listener, everything else is on the tower listener; annotations are taken by both. A request that is no HTTP at all is refused by the server itself with an empty 400, 413 or 505.",
    },
    paths: {
      "/api/codebase-report": {
        post: receiving(
          "Send a codebase report (ingest listener, site token, at most 256 KiB)",
          ref("CodebaseReport"),
          {
            201: {
              description: "Stored as the next revision of its UTC day; the five rules have run.",
              content: json(
                object({
                  asset: text,
                  date,
                  revision: count,
                  receivedAt: instant,
                  comparison: orNull(object({ date, revision: count })),
                  alerts: object({ raised: changedAlerts, resolved: changedAlerts }),
                  unmeasured: { type: "array", items: text },
                  ignored: pointers,
                }),
              ),
            },
          },
        ),
      },
      "/api/pulse": {
        post: receiving(
          "Send a nightly report (ingest listener, site token, at most 256 KiB)",
          ref("Pulse"),
          {
            201: {
              description:
                "Stored as the next revision of its UTC day; the flow rules follow within a second.",
              content: json(
                object({
                  asset: text,
                  date,
                  revision: count,
                  receivedAt: instant,
                  flags: { type: "array", items: object({ id: text }) },
                  ignored: pointers,
                }),
              ),
            },
          },
        ),
      },
      "/api/annotations": {
        post: receiving(
          "Post an annotation (both listeners, operator token of scope annotations, or a session on the tower; at most 16 KiB)",
          ref("Annotation"),
          {
            200: { description: "It was there: the row as first stored.", content: json(POSTED_ANNOTATION) },
            201: { description: "Stored.", content: json(POSTED_ANNOTATION) },
          },
          [
            ...RECEIVE_REFUSALS.filter((code) => code !== "asset-mismatch" && code !== "too-many-requests"),
            "cross-origin",
          ],
        ),
        get: reading("Annotations", ANNOTATION_ROW, [
          query("asset", text, "A site, with the annotations of every site; `*` for those alone."),
          query("kind", text, "One kind."),
          query("ref", text, "One ref."),
          ...DATES,
        ]),
      },
      "/api/assets": {
        get: reading("The portfolio", ref("Asset"), [
          query("asset", text, "One site."),
          query("lifecycle", { enum: ["live", "pre-launch", "retired"] }, "One lifecycle."),
        ]),
      },
      "/api/assets/{asset}/codebase-reports": {
        get: readingReports("Codebase reports of a site, as they were sent", "CodebaseReport"),
      },
      "/api/assets/{asset}/pulses": {
        get: readingReports("Nightly reports of a site, as they were sent", "Pulse"),
      },
      "/api/flags": {
        get: reading("Flags, open and resolved unless filtered", ref("Flag"), [
          ...["asset", "rule", "origin", "metric", "subject"].map((name) =>
            query(name, text, `One ${name}.`),
          ),
          query("source", { enum: SERIES_SOURCES }, "Where the judged series comes from."),
          query("status", { enum: ["open", "resolved"] }, "One status."),
          query("severity", { enum: ["info", "warn", "error"] }, "One severity."),
          query("kind", { enum: ["anomaly", "opportunity", "milestone"] }, "One kind."),
          ...DATES,
        ]),
      },
      "/api/flags/{id}": {
        get: {
          summary:
            "One flag with its record: raised, every run's reading, resolved, renewed by a later flag, and each act",
          security: [{ token: [] }, { session: [] }],
          parameters: [{ name: "id", in: "path", required: true, schema: text }],
          responses: {
            200: {
              description: "The flag.",
              content: json({
                allOf: [
                  ref("Flag"),
                  object({
                    record_more: { ...count, description: "Entries left out, older than those given." },
                    record: {
                      type: "array",
                      items: object({
                        at: instant,
                        type: { enum: ["raised", "evidence", "resolved", "renewed", "act"] },
                        actor: text,
                        data: { type: "object" },
                      }),
                    },
                  }),
                ],
              }),
            },
            ...refusals([...READ_REFUSALS, "not-found"]),
          },
        },
      },
      "/healthz": {
        get: {
          summary: "Alive",
          security: [],
          responses: {
            200: { description: "The process answers.", content: json(object({ status: { const: "ok" } })) },
            ...refusals(["unknown-host"]),
          },
        },
      },
      "/readyz": {
        get: {
          summary: "Ready for requests",
          security: [],
          responses: {
            200: {
              description:
                "Ready. What is accepted and not judged yet, and what could not be judged, is counted.",
              content: json(
                object({
                  status: { const: "ready" },
                  reports_waiting: count,
                  oldest_waiting_seconds: orNull(count),
                  monitoring_failures: count,
                }),
              ),
            },
            503: {
              description: "Not now, such as while writes are refused; with the reason and Retry-After.",
              content: json(object({ status: { const: "not ready" }, reason: text })),
            },
            ...refusals(["unknown-host"]),
          },
        },
      },
      "/openapi": {
        get: {
          summary: "This description",
          security: [],
          responses: {
            200: { description: "OpenAPI 3.1.", content: json({ type: "object" }) },
            ...refusals(["unknown-host"]),
          },
        },
      },
      "/metrics": {
        get: {
          summary:
            "Figures of the service, for Prometheus; scope read is needed from beyond loopback, and wherever a proxy is set up or has left its mark",
          security: [{}, { token: [] }],
          responses: {
            200: { description: "Text format 0.0.4.", content: { "text/plain": { schema: text } } },
            ...refusals(["unknown-host", "unauthenticated", "insufficient-scope"]),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "__Host-tower" },
      },
      schemas: {
        ...SCHEMAS,
        CodebaseReport: schemaOf(CodebaseReportSchema),
        Pulse: schemaOf(PulseSchema),
        Annotation: schemaOf(annotationSchema(() => 0)),
      },
    },
  };
}
