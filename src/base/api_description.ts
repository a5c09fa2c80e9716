/**
 * How the read API is described: a route with what it takes, answers and refuses stands beside its code as an `Endpoint`, and the OpenAPI
 * document is made of these. Answers are written by hand in JSON Schema (a valibot schema of each would validate nothing: they go out).
 */

import type { GenericSchema } from "valibot";
import { ASSET_ID_PATTERN, MAX_BROKEN_RULES } from "./contract.ts";
import { PROBLEMS, type ProblemCode } from "./problem.ts";

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

const CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

export const PROBLEM: Json = {
  ...object(
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
  ),
  examples: [
    {
      type: typeOf("malformed-query"),
      title: PROBLEMS["malformed-query"].title,
      status: 400,
      detail: "from must be a date, for example 2026-03-01.",
      instance: "0d9f7a52-6c1e-4a0b-9f0e-1c2d3e4f5a6b",
      errors: [{ pointer: "/from", rule: "query", message: "must be a date, for example 2026-03-01" }],
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

function typeOf(code: ProblemCode): string {
  return `/problems/${code}`;
}

/** What the routes are grouped by, and what each group is. */
export const TAGS = {
  Reports: "What a site sends about itself, with its own token, to the ingest.",
  Annotations: "Deploys and other changes on the timeline.",
  Ledger: "Revenue and costs in minor units, each currency by itself.",
  Reading: "What is stored, as JSON, for programs. Lists come newest first.",
  Service: "Whether the service is alive and ready, its figures, and this description.",
} as const;

/** One answer to a request that is not refused. */
interface Answer {
  readonly description: string;
  /** Its shape; JSON unless `type` says otherwise. Absent where it has no body. */
  readonly shape?: Json;
  /** An answer as it may come. */
  readonly example?: unknown;
  readonly type?: string;
  /** It says when to ask again. */
  readonly retryAfter?: boolean;
}

/** One route of the API. */
export interface Endpoint {
  /** What generated clients call it. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly method: "GET" | "POST";
  /** As it is mounted: `:name` for a segment of any text. */
  readonly path: string;
  readonly listeners: readonly ("ingest" | "tower")[];
  readonly summary: string;
  readonly description: string;
  /**
   * Who is let in: anyone; a site's token; an operator's of scope annotations, or on the tower a signed-in operator; one of scope
   * read, or a signed-in operator; the same of scope ledger; the same of scope health:read; or a program of this machine, and a reader from elsewhere.
   */
  readonly open: "anyone" | "site" | "annotator" | "bookkeeper" | "reader" | "health-reader" | "own-machine";
  /** What the segments of its path that have a name are. */
  readonly segments?: Readonly<Record<string, { readonly schema: Json; readonly description: string }>>;
  /** What an answer that is no list may be narrowed to. */
  readonly query?: Filters;
  /** What a list may be narrowed to; it is paged, too. */
  readonly filters?: Filters;
  /** The contract of its body, what that is called, and a body that keeps it. */
  readonly takes?: { readonly name: string; readonly schema: GenericSchema; readonly example: unknown };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Shapes that its answers refer to by name. */
  readonly shapes?: Readonly<Record<string, Json>>;
  /** What it refuses, beside what the edge and the router of every listener do. */
  readonly refuses: readonly ProblemCode[];
}

/** One parameter of a query. */
export interface Filter<T> {
  readonly schema: Json;
  readonly description: string;
  /** What must hold of a value that is refused. */
  readonly rule: string;
  /** The value, or undefined where the text is none. */
  readonly read: (text: string) => T | undefined;
}

export type Filters = Readonly<Record<string, Filter<unknown>>>;
