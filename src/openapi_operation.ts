/** One route of the API as an operation of its description. */
import { BROWSER_REFUSALS, EDGE_REFUSALS } from "./platform/edge.ts";
import type { Endpoint } from "./platform/endpoint.ts";
import { type Json, ref } from "./platform/json_schema.ts";
import { PAGING } from "./platform/lists.ts";
import { PROBLEMS, type ProblemCode } from "./platform/problem.ts";
import { HEADERS_OF, type HeaderName } from "./platform/problem_schema.ts";
import { ROUTER_REFUSALS } from "./platform/routing.ts";

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
  return [...new Set([...EDGE_REFUSALS, ...browsers, ...ROUTER_REFUSALS, ...refuses])];
}

/** An endpoint as an operation; `servers` are the listeners it is on, where they are not those of the whole document. */
export function operationOf(endpoint: Endpoint, servers: readonly Json[] | undefined): Json {
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
      content: { ...known?.content, "application/problem+json": problemOf(codes) },
    };
  }
  return responses;
}

function problemOf(codes: readonly ProblemCode[]): Json {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return { schema: ref("Problem"), examples: Object.fromEntries(examples) };
}

function headersOf(names: readonly HeaderName[]): Json {
  const all: readonly HeaderName[] = ["x-request-id", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
