/** How refusals are described: the document, an example of each, and the headers that come with it. */
import { type BrokenRule, MAX_BROKEN_RULES } from "../lib/contract.ts";
import { count, type Json, list, object, text } from "./json_schema.ts";
import { PROBLEMS, type ProblemCode } from "./problem.ts";

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
