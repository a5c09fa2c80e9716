/** Refusals as RFC 9457 problem documents. `type` is `/problems/<code>`; `instance` is the request id. */

import { ASSET_ID_PATTERN, type BrokenRule, MAX_BROKEN_RULES } from "./contract.ts";

/** Every refusal there is: its status and its fixed title. */
export const PROBLEMS = {
  "malformed-json": { status: 400, title: "The body is not acceptable JSON" },
  "incomplete-body": { status: 400, title: "The body ended too early" },
  "malformed-query": { status: 400, title: "The query is not understood" },
  unauthenticated: { status: 401, title: "A known bearer token is needed" },
  "browser-origin": { status: 403, title: "Browsers may not send here" },
  "cross-origin": { status: 403, title: "The request came from another site" },
  "insufficient-scope": { status: 403, title: "The token does not cover this route" },
  "asset-mismatch": { status: 403, title: "The token is another site's" },
  "not-found": { status: 404, title: "There is nothing here" },
  "method-not-allowed": { status: 405, title: "The method is not allowed here" },
  "request-timeout": { status: 408, title: "The body did not arrive in time" },
  conflict: { status: 409, title: "The state has changed meanwhile" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The body must be JSON" },
  "unsupported-encoding": { status: 415, title: "The body must not be compressed" },
  "unknown-host": { status: 421, title: "The host name is not one of this service" },
  "broken-contract": { status: 422, title: "The body breaks the contract" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  "internal-error": { status: 500, title: "Something broke inside the service" },
  "object-damaged": { status: 503, title: "The object is damaged" },
  "object-missing": { status: 503, title: "The object is missing" },
  "archive-unavailable": { status: 503, title: "The archive cannot be read now" },
  "storage-unavailable": { status: 503, title: "Nothing can be stored now" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A refusal on its way to the edge. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly BrokenRule[] | undefined;
  readonly more: number;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly errors?: readonly BrokenRule[];
      readonly more?: number;
    } = {},
  ) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.headers = extra.headers ?? {};
    this.errors = extra.errors;
    this.more = extra.more ?? 0;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** An answer thrown from deep inside, such as the way to the sign-in page. */
export class ResponseThrown extends Error {
  override readonly name = "ResponseThrown";
  readonly response: Response;

  constructor(response: Response) {
    super("detour");
    this.response = response;
  }
}

/** The problem as an HTTP answer. */
export function problemResponse(problem: Problem, requestId: string): Response {
  const { status, title } = PROBLEMS[problem.code];
  const body = {
    type: `/problems/${problem.code}`,
    title,
    status,
    detail: problem.detail,
    instance: requestId,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
    ...(problem.more > 0 ? { more: problem.more } : {}),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...problem.headers },
  });
}

/** The pieces of JSON Schema that answers are described with. */

export type Json = { readonly [key: string]: unknown };

export const text: Json = { type: "string" };
export const count: Json = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const instant: Json = { type: "string", format: "date-time" };
export const date: Json = { type: "string", format: "date" };
export const pointers: Json = { type: "array", items: text };
/** A site's identifier. */
export const assetId: Json = { type: "string", pattern: ASSET_ID_PATTERN };
/** Which of a day's reports: the first is 1. */
export const revision: Json = { type: "integer", minimum: 1 };

export const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });
export const object = (
  properties: { readonly [name: string]: Json },
  required = Object.keys(properties),
): Json => ({
  type: "object",
  properties,
  required,
});
export const list = (items: Json, maxItems?: number): Json => ({
  type: "array",
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
/** A shape that has a name. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** How refusals are described: the document, an example of each, and the headers that come with it. */

const CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

export const PROBLEM: Json = object(
  {
    type: { enum: CODES.map(typeOf) },
    title: text,
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: text,
    instance: { type: "string", format: "uuid", description: "The request id, also in x-request-id." },
    errors: {
      ...list(
        object({
          pointer: {
            ...text,
            description: "JSON Pointer into the body; for a query, a slash and the parameter.",
          },
          rule: text,
          message: text,
        }),
        MAX_BROKEN_RULES,
      ),
      description: "Every broken rule, all at once.",
    },
    more: { ...count, description: "Broken rules beyond those named." },
  },
  ["type", "title", "status", "detail", "instance"],
);

/** What each says of itself, such as it may come. */
const DETAILS: Readonly<Record<ProblemCode, string>> = {
  "malformed-json": "The body is not well-formed JSON.",
  "incomplete-body": "The body ended before it was whole.",
  "malformed-query": "from must be a date, for example 2026-03-01.",
  unauthenticated: "Send the token as: Authorization: Bearer <token>.",
  "browser-origin": "Reports come from servers; a request made by a browser is refused.",
  "cross-origin": "The request came from another site's page.",
  "insufficient-scope": "The token needs the scope read.",
  "asset-mismatch": "The token belongs to another site than the one the body names.",
  "not-found": "No such site.",
  "method-not-allowed": "Allowed here: GET, HEAD.",
  "request-timeout": "The body did not arrive within 10 seconds.",
  conflict: "The state has changed meanwhile.",
  "body-too-large": "The body may have at most 262144 bytes.",
  "unsupported-media-type": "Send the body with content-type: application/json.",
  "unsupported-encoding": "Send the body without content-encoding.",
  "unknown-host": "Use one of the service's own or published names as the host.",
  "broken-contract": "1 rule is broken; nothing was stored.",
  "too-many-requests": "This token has sent too much at once. Send the next report in 1 second.",
  "internal-error": "The failure was logged under the request id.",
  "object-damaged":
    "Object 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae cannot be read. Nothing of it is answered.",
  "object-missing":
    "Object 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae is missing. Nothing of it is answered.",
  "archive-unavailable": "The archive cannot be read now: it cannot be reached, or does not answer in time.",
  "storage-unavailable": "Nothing was stored. Try again shortly.",
};

const ERRORS: Partial<Record<ProblemCode, readonly BrokenRule[]>> = {
  "malformed-query": [{ pointer: "/from", rule: "query", message: "must be a date, for example 2026-03-01" }],
  "broken-contract": [
    {
      pointer: "/metrics/signups/last24h",
      rule: "count",
      message: "must be a whole number from 0 to 9007199254740991",
    },
  ],
};

/** The headers of the API beside the usual ones, each with what it says. */
export const HEADERS = {
  "x-request-id": {
    description: "The id under which the service logs this request.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "retry-after": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 1 },
  },
  "www-authenticate": { description: "How to say who asks.", schema: { const: "Bearer" } },
  allow: { description: "The methods that are allowed here.", schema: text },
  "accept-post": { description: "What a body must be.", schema: { const: "application/json" } },
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof HEADERS;

/** What comes with a refusal beside the request id. */
export const HEADERS_OF: Partial<Record<ProblemCode, HeaderName>> = {
  unauthenticated: "www-authenticate",
  "method-not-allowed": "allow",
  "unsupported-media-type": "accept-post",
  "too-many-requests": "retry-after",
  "archive-unavailable": "retry-after",
  "storage-unavailable": "retry-after",
};

/** An example of each refusal, by its code. */
export const PROBLEM_EXAMPLES: Readonly<Record<string, Json>> = Object.fromEntries(
  CODES.map((code) => [
    code,
    {
      summary: PROBLEMS[code].title,
      value: {
        type: typeOf(code),
        title: PROBLEMS[code].title,
        status: PROBLEMS[code].status,
        detail: DETAILS[code],
        instance: "0d9f7a52-6c1e-4a0b-9f0e-1c2d3e4f5a6b",
        ...(ERRORS[code] === undefined ? {} : { errors: ERRORS[code] }),
      },
    },
  ]),
);

function typeOf(code: ProblemCode): string {
  return `/problems/${code}`;
}
