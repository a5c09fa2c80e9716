/** Refusals as RFC 9457 problem documents. `type` is `/problems/<code>`; `instance` is the request id. */

import type { BrokenRule } from "./contract.ts";

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
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "The method is not allowed here" },
  "request-timeout": { status: 408, title: "The body did not arrive in time" },
  conflict: { status: 409, title: "The state has changed meanwhile" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The content type is not accepted" },
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

/** What is there, or the answer that it is not. */
export function orNotFound<Found>(found: Found | undefined, detail: string): Found {
  if (found === undefined) throw new Problem("not-found", detail);
  return found;
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
