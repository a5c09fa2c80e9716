/** What a list of the read API may be narrowed to: each filter with what it takes, what it means, and how it is read. */

import type { GenericSchema } from "valibot";
import { date, type Json, Problem, type ProblemCode, text } from "./problem.ts";
import { parseUtcDay, type UtcDay } from "./time.ts";

/** One parameter of a query. */
interface Filter<T> {
  readonly schema: Json;
  readonly description: string;
  /** What must hold of a value that is refused. */
  readonly rule: string;
  /** The value, or undefined where the text is none. */
  readonly read: (text: string) => T | undefined;
}

export type Filters = Readonly<Record<string, Filter<unknown>>>;

/** What a filter reads. */
type ReadBy<F> = F extends Filter<infer T> ? T : never;

/** Any text; what is looked for is described by `schema`, and nothing else is found. */
export function anyText(description: string, schema: Json = text): Filter<string> {
  return { schema, description, rule: "must be text", read: (value) => value };
}

/** A text of which something holds. */
export function textThat(
  description: string,
  that: { readonly schema: Json; readonly holds: (value: string) => boolean; readonly rule: string },
): Filter<string> {
  const { schema, holds, rule } = that;
  return { schema, description, rule, read: (value) => (holds(value) ? value : undefined) };
}

/** One of a few values. */
export function oneOf<T extends string>(values: readonly T[], description: string): Filter<T> {
  return {
    schema: { type: "string", enum: values },
    description,
    rule: `must be one of ${values.join(", ")}`,
    read: (value) => values.find((item) => item === value),
  };
}

function day(description: string): Filter<UtcDay> {
  return { schema: date, description, rule: "must be a date, for example 2026-03-01", read: parseUtcDay };
}

/** The days a list is narrowed to, both included. */
export const DAYS = { from: day("First day, inclusive."), to: day("Last day, inclusive.") } as const;

/** The query of a request to the API, read by the filters that its route names. */

/** What a query can be refused for. */
export const QUERY_REFUSALS = ["malformed-query"] as const;

export class Query<F extends Filters> {
  readonly #params: URLSearchParams;
  readonly #filters: F;

  /** Refuses a parameter that the route does not know, so that a typo never widens an answer in silence. */
  constructor(request: Request, filters: F, others: readonly string[] = []) {
    this.#params = new URL(request.url).searchParams;
    this.#filters = filters;
    const known = new Set([...others, ...Object.keys(filters)]);
    for (const name of this.#params.keys()) {
      if (!known.has(name))
        throw malformed(name, `is not known here; known are ${[...known].sort().join(", ")}`);
      if (this.#params.getAll(name).length > 1) throw malformed(name, "may be given once");
    }
  }

  /** What a filter says; undefined where it is not given. */
  value<K extends keyof F & string>(name: K): ReadBy<F[K]> | undefined {
    const filter: Filter<unknown> | undefined = this.#filters[name];
    const given = this.given(name);
    if (given === null || filter === undefined) return undefined;
    const value = filter.read(given);
    if (value === undefined) throw malformed(name, filter.rule);
    return value as ReadBy<F[K]>;
  }

  /** A parameter as it was sent. */
  protected given(name: string): string | null {
    return this.#params.get(name);
  }
}

/** A refused query parameter. */
export function malformed(name: string, rule: string): Problem {
  return new Problem("malformed-query", `${name} ${rule}.`, {
    errors: [{ pointer: `/${name}`, rule: "query", message: rule }],
  });
}

/**
 * A route of the API as its description says it: stands beside the route, with what its filters can refuse. The document is made of
 * these, so that what a route takes, answers and refuses is said where it is done.
 */

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
