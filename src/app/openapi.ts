/** The API's description: OpenAPI 3.1, made of what stands beside each route, and of the contracts that judge the bodies. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { READ_OBJECT } from "../archive/object_routes.ts";
import { LIST_MANIFEST } from "../archive/read_routes.ts";
import {
  type Endpoint,
  HEADERS,
  HEADERS_OF,
  type HeaderName,
  type Json,
  PROBLEM,
  ref,
  TAGS,
} from "../base/api_description.ts";
import { BROWSER_REFUSALS, HANDLER_REFUSALS, ROUTER_REFUSALS } from "../base/http_handler.ts";
import { PROBLEMS, type ProblemCode } from "../base/problem.ts";
import { PAGING } from "../base/query.ts";
import { towerVersion } from "../base/version.ts";
import { LIST_FLAGS, READ_FLAG } from "../flags/api.ts";
import { READ_ATTENTION } from "../integrations/attention_reader.ts";
import { READ_HEALTH } from "../integrations/reader.ts";
import { LIST_LEDGER, POST_COST, POST_REVENUE } from "../ledger/api.ts";
import { LIST_NOTICES } from "../notices/api.ts";
import { PayloadSchema } from "../notices/channel_settings.ts";
import { LIST_CODEBASE_REPORTS, SEND_CODEBASE_REPORT } from "../reports/codebase_routes.ts";
import { LIST_PULSES, SEND_PULSE } from "../reports/pulse_routes.ts";
import { LIST_PANEL_RUNS, LIST_RUNS, LIST_SIGNALS } from "../signals/signal_routes.ts";
import { LIST_ANNOTATIONS, LIST_ASSETS, POST_ANNOTATION } from "../sites/api.ts";
import { HEALTHZ, METRICS, OPENAPI, READYZ } from "./service_routes.ts";

/** One route of the API as an operation of its description. */

/** Who is let in. A bearer token has its scope by the scheme's name: OpenAPI knows scopes of OAuth alone. */
const SECURITY: Readonly<Record<Endpoint["open"], readonly Json[]>> = {
  anyone: [],
  site: [{ siteToken: [] }],
  annotator: [{ annotationsToken: [] }, { session: [] }],
  bookkeeper: [{ ledgerToken: [] }, { session: [] }],
  reader: [{ readToken: [] }, { session: [] }],
  "health-reader": [{ healthToken: [] }, { session: [] }],
  "own-machine": [{}, { readToken: [] }, { session: [] }],
};

/** Everything a route refuses, in the order of the checks. */
export function refusalsOf({ listeners, refuses }: Endpoint): readonly ProblemCode[] {
  const browsers = listeners.includes("ingest") ? BROWSER_REFUSALS : [];
  return [...new Set([...HANDLER_REFUSALS, ...browsers, ...ROUTER_REFUSALS, ...refuses])];
}

/** An endpoint as an operation; `servers` are the listeners it is on, where they are not those of the whole document. */
function operationOf(endpoint: Endpoint, servers: readonly Json[] | undefined): Json {
  const { id, tag, summary, description, open, takes } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(servers === undefined ? {} : { servers }),
    security: SECURITY[open],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: ref(takes.name), example: takes.example } },
          },
        }),
    responses: responsesOf(endpoint),
  };
}

function parametersOf({ segments = {}, query = {}, filters }: Endpoint): readonly Json[] {
  const inPath = Object.entries(segments).map(([name, { schema, description }]) => ({
    name,
    in: "path",
    required: true,
    schema,
    description,
  }));
  const inQuery = Object.entries({ ...query, ...(filters === undefined ? {} : { ...filters, ...PAGING }) });
  return [
    ...inPath,
    ...inQuery.map(([name, { schema, description }]) => ({
      name,
      in: "query",
      required: false,
      schema,
      description,
    })),
  ];
}

interface Response {
  readonly description: string;
  readonly headers: Json;
  readonly content?: Json;
}

/** One answer for each status: what is not refused, and the refusals that have it. */
function responsesOf(endpoint: Endpoint): Json {
  const responses: Record<number, Response> = {};
  for (const [status, { description, shape, example, type, retryAfter }] of Object.entries(
    endpoint.answers,
  )) {
    responses[Number(status)] = {
      description,
      headers: headersOf(retryAfter === true ? ["retry-after"] : []),
      ...(shape === undefined
        ? {}
        : { content: { [type ?? "application/json"]: { schema: shape, example } } }),
    };
  }
  const byStatus = Map.groupBy(refusalsOf(endpoint), (code) => PROBLEMS[code].status);
  for (const [status, codes] of byStatus) {
    const known = responses[status];
    const words = codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`);
    responses[status] = {
      description: [...(known === undefined ? [] : [known.description]), ...words].join(" "),
      headers: { ...known?.headers, ...headersOf(codes.flatMap((code) => HEADERS_OF[code] ?? [])) },
      content: { ...known?.content, "application/problem+json": { schema: ref("Problem") } },
    };
  }
  return responses;
}

function headersOf(names: readonly HeaderName[]): Json {
  const all: readonly HeaderName[] = ["x-request-id", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

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
  READ_ATTENTION,
  HEALTHZ,
  READYZ,
  OPENAPI,
  METRICS,
];

const ABOUT = [
  "Reports are sent to the ingest, everything else is on the tower; annotations are taken by both.",
  "A 2xx answer means that what was sent is on disk. Every refusal is a problem document that names each broken rule by JSON Pointer.",
  "A field that is not known is accepted, not stored, and named in `ignored`. What is absent is not measured, and never 0.",
  "A request that is not HTTP at all is refused by the server itself with an empty 400, 413, 431 or 505.",
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
  requestBody: { required: true, content: { "application/json": { schema: ref("WebhookNotice") } } },
  responses: { "2XX": { description: "The notice was taken." } },
};

/** Where the listeners are reached. */
type Addresses = Readonly<Record<Endpoint["listeners"][number], string>>;

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
      schemas: {
        Problem: PROBLEM,
        WebhookNotice: schemaOf(PayloadSchema),
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

/** Reads a contract into JSON Schema; rules that JSON Schema cannot say stand in the specification. */
function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "output" }) as Json;
  return rest;
}
