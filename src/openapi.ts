/** The API's description: OpenAPI 3.1, made of what stands beside each route, and of the contracts that judge the bodies. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { LIST_ANNOTATIONS, POST_ANNOTATION } from "./annotations/mod.ts";
import { LIST_MANIFEST, READ_OBJECT } from "./archive/mod.ts";
import { LIST_ASSETS } from "./assets/mod.ts";
import { PayloadSchema } from "./channels/contract.ts";
import { LIST_CODEBASE_REPORTS, SEND_CODEBASE_REPORT } from "./codebase/mod.ts";
import { LIST_FLAGS, READ_FLAG } from "./flags/mod.ts";
import { HEALTHZ, READYZ } from "./health_routes.ts";
import { READ_HEALTH } from "./integrations/mod.ts";
import { LIST_LEDGER, POST_COST, POST_REVENUE } from "./ledger/routes.ts";
import { METRICS, OPENAPI } from "./meta_routes.ts";
import { LIST_NOTICES } from "./notices/read_routes.ts";
import { operationOf, refusalsOf } from "./openapi_operation.ts";
import { LIST_PANEL_RUNS } from "./panels/read_routes.ts";
import { type Endpoint, TAGS } from "./platform/endpoint.ts";
import { type Json, ref } from "./platform/json_schema.ts";
import { HEADERS, PROBLEM, PROBLEM_EXAMPLES } from "./platform/problem_schema.ts";
import { towerVersion } from "./platform/version.ts";
import { LIST_PULSES, SEND_PULSE } from "./pulse/mod.ts";
import { LIST_RUNS, LIST_SIGNALS } from "./signals/mod.ts";

/** Every route that programs use, in the order of the document. */
export const ENDPOINTS: readonly Endpoint[] = [
  SEND_CODEBASE_REPORT,
  SEND_PULSE,
  POST_ANNOTATION,
  LIST_ANNOTATIONS,
  POST_REVENUE,
  POST_COST,
  LIST_LEDGER,
  LIST_ASSETS,
  LIST_CODEBASE_REPORTS,
  LIST_PULSES,
  LIST_SIGNALS,
  LIST_PANEL_RUNS,
  LIST_FLAGS,
  READ_FLAG,
  LIST_NOTICES,
  LIST_RUNS,
  LIST_MANIFEST,
  READ_OBJECT,
  READ_HEALTH,
  HEALTHZ,
  READYZ,
  OPENAPI,
  METRICS,
];

const ABOUT = [
  "Reports are sent to the ingest, everything else is on the tower; annotations are taken by both.",
  "A 2xx answer means that what was sent is on disk. Every refusal is a problem document that names each broken rule by JSON Pointer.",
  "A field that is not known is accepted, not stored, and named in `ignored`. What is absent is not measured, and never 0.",
  "A request that is not HTTP at all is refused by the server itself with an empty 400, 413 or 505.",
].join(" ");

const SECURITY_SCHEMES: Json = {
  siteToken: {
    type: "http",
    scheme: "bearer",
    description: "A site's own token: sends the reports of that site, and nothing else.",
  },
  annotationsToken: {
    type: "http",
    scheme: "bearer",
    description: "An operator's token of scope `annotations`, for CI.",
  },
  ledgerToken: {
    type: "http",
    scheme: "bearer",
    description: "An operator's token of scope `ledger`, for what books revenue and costs.",
  },
  readToken: {
    type: "http",
    scheme: "bearer",
    description: "An operator's token of scope `read`, for scripts.",
  },
  healthToken: {
    type: "http",
    scheme: "bearer",
    description: "An operator's token of scope `health:read`, for what watches the watching.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-tower",
    description:
      "A signed-in operator's browser. Where the address names another port than 4611, `-` and that port follow the name.",
  },
};

const WEBHOOK_HEADERS = {
  "webhook-id": "The delivery id: the same each time the same notice is sent.",
  "webhook-timestamp": "When it was sent, in seconds since 1970.",
  "webhook-signature":
    "`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` with the channel's secret (Standard Webhooks).",
};

/** What a channel of kind webhook is sent. */
const NOTICE: Json = {
  operationId: "receiveNotice",
  summary: "A notice to a webhook",
  description:
    "Sent to each webhook channel, at least once. Any 2xx is a receipt; 408, 425, 429 and 5xx are tried again for a day, any other answer is not.",
  security: [],
  parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    ...{ name, in: "header", required: name !== "webhook-signature", description },
    schema: { type: "string" },
  })),
  requestBody: { required: true, content: { "application/json": { schema: ref("Notice") } } },
  responses: { "2XX": { description: "The notice was taken." } },
};

/** Where the listeners are reached. */
export type Addresses = Readonly<Record<Endpoint["listeners"][number], string>>;

/** The whole document. */
export function openApiDocument(addresses: Addresses): Json {
  const servers = {
    ingest: { url: addresses.ingest, description: "The ingest: takes reports and annotations." },
    tower: {
      url: addresses.tower,
      description: "The tower: reading, annotations, and what tells of the service.",
    },
  };
  const bodies = ENDPOINTS.flatMap(({ takes }) =>
    takes === undefined ? [] : [[takes.name, schemaOf(takes.schema)]],
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Tower",
      version: towerVersion(),
      description: ABOUT,
      contact: { name: "Whoever operates this installation" },
      license: { name: "No licence is granted", identifier: "LicenseRef-Unlicensed" },
    },
    servers: [servers.tower],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf((listeners) =>
      listeners.every((name) => name === "tower") ? undefined : listeners.map((name) => servers[name]),
    ),
    webhooks: { notice: { post: NOTICE } },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      examples: usedExamples(),
      schemas: {
        Problem: PROBLEM,
        Notice: schemaOf(PayloadSchema),
        ...Object.assign({}, ...ENDPOINTS.map(({ shapes }) => shapes)),
        ...Object.fromEntries(bodies),
      },
    },
  };
}

function pathsOf(serversOf: (listeners: Endpoint["listeners"]) => readonly Json[] | undefined): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
    const operation = operationOf(endpoint, serversOf(endpoint.listeners));
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  return paths;
}

function usedExamples(): Json {
  const codes = new Set(ENDPOINTS.flatMap(refusalsOf));
  return Object.fromEntries([...codes].map((code) => [code, PROBLEM_EXAMPLES[code]]));
}

/** Reads a contract into JSON Schema; rules that JSON Schema cannot say stand in the specification. */
function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "output" }) as Json;
  return rest;
}
