/** The API's description: OpenAPI 3.1, made of what stands beside each route, and of the contracts that judge the bodies. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { LIST_ANNOTATIONS, POST_ANNOTATION } from "./annotations/mod.ts";
import { LIST_ASSETS } from "./assets/mod.ts";
import { LIST_CODEBASE_REPORTS, SEND_CODEBASE_REPORT } from "./codebase/mod.ts";
import { LIST_FLAGS, READ_FLAG } from "./flags/mod.ts";
import { HEALTHZ, READYZ } from "./health_routes.ts";
import { METRICS, OPENAPI } from "./meta_routes.ts";
import { BROWSER_REFUSALS, EDGE_REFUSALS } from "./platform/edge.ts";
import type { Endpoint } from "./platform/endpoint.ts";
import { count, type Json, object, ref, text } from "./platform/json_schema.ts";
import { PAGING } from "./platform/lists.ts";
import { PROBLEMS, type ProblemCode } from "./platform/problem.ts";
import { ROUTER_REFUSALS } from "./platform/routing.ts";
import { towerVersion } from "./platform/version.ts";
import { LIST_PULSES, SEND_PULSE } from "./pulse/mod.ts";

/** Every route that programs use, in the order of the document. */
export const ENDPOINTS: readonly Endpoint[] = [
  SEND_CODEBASE_REPORT,
  SEND_PULSE,
  POST_ANNOTATION,
  LIST_ANNOTATIONS,
  LIST_ASSETS,
  LIST_CODEBASE_REPORTS,
  LIST_PULSES,
  LIST_FLAGS,
  READ_FLAG,
  HEALTHZ,
  READYZ,
  OPENAPI,
  METRICS,
];

const SECURITY: Readonly<Record<Endpoint["open"], readonly Json[]>> = {
  anyone: [],
  token: [{ token: [] }],
  reader: [{ token: [] }, { session: [] }],
  "own-machine": [{}, { token: [] }],
};

const PROBLEM: Json = object(
  {
    type: text,
    title: text,
    status: { type: "integer" },
    detail: text,
    instance: { ...text, description: "The request id, also in x-request-id." },
    errors: {
      type: "array",
      maxItems: 50,
      items: object({ pointer: { ...text, description: "JSON Pointer" }, rule: text, message: text }),
    },
    more: { ...count, description: "Broken rules beyond those named." },
  },
  ["type", "title", "status", "detail", "instance"],
);

/** The whole document. */
export function openApiDocument(): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tower",
      version: towerVersion(),
      description:
        "Reports are sent to the ingest listener, everything else is on the tower listener; annotations are taken by both. A request that is not HTTP at all is refused by the server itself with an empty 400, 413 or 505.",
    },
    paths: pathsOf(ENDPOINTS),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "__Host-tower" },
      },
      schemas: {
        Problem: PROBLEM,
        ...Object.assign({}, ...ENDPOINTS.map(({ shapes }) => shapes)),
        ...Object.fromEntries(
          ENDPOINTS.flatMap(({ takes }) =>
            takes === undefined ? [] : [[takes.name, schemaOf(takes.schema)]],
          ),
        ),
      },
    },
  };
}

/** Everything a route refuses, in the order of the checks. */
export function refusalsOf({ listeners, refuses }: Endpoint): readonly ProblemCode[] {
  const browsers = listeners.includes("ingest") ? BROWSER_REFUSALS : [];
  return [...new Set([...EDGE_REFUSALS, ...browsers, ...ROUTER_REFUSALS, ...refuses])];
}

function pathsOf(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return paths;
}

function operationOf(endpoint: Endpoint): Json {
  const { summary, open, takes } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    summary,
    security: SECURITY[open],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: contentOf(ref(takes.name)) } }),
    responses: responsesOf(endpoint),
  };
}

function parametersOf({ path, filters }: Endpoint): readonly Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: text,
  }));
  const inQuery = Object.entries(filters === undefined ? {} : { ...filters, ...PAGING });
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

/** One answer for each status: what is not refused, and the refusals that have it. */
function responsesOf(endpoint: Endpoint): Json {
  const responses: Record<number, { description: string; content: Json }> = {};
  for (const [status, { description, shape, type }] of Object.entries(endpoint.answers)) {
    responses[Number(status)] = { description, content: contentOf(shape, type) };
  }
  for (const code of refusalsOf(endpoint)) {
    const { status, title } = PROBLEMS[code];
    const known = responses[status];
    responses[status] = {
      description: `${known === undefined ? "" : `${known.description} `}\`${code}\`: ${title}.`,
      content: { ...known?.content, ...contentOf(ref("Problem"), "application/problem+json") },
    };
  }
  return responses;
}

function contentOf(schema: Json, type = "application/json"): Json {
  return { [type]: { schema } };
}

/** Reads a contract into JSON Schema; rules that JSON Schema cannot say stand in the specification. */
function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "output" }) as Json;
  return rest;
}
