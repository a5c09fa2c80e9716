/**
 * Queries of the read API: filters, each with what it takes, what it means and how it is read, and lists as `{items, next}`, newest
 * first, paged by an opaque cursor (decisions, Reading over the API). Elysia's own query schema drops what it does not know and takes the
 * last of two; here both are refused, so that a typo never widens an answer in silence.
 */

import {
  assetId,
  date,
  type Filter,
  type Filters,
  type Json,
  list,
  object,
  orNull,
  text,
} from "./api_description.ts";
import { isAssetId } from "./contract.ts";
import { Problem } from "./problem.ts";
import { addDays, parseUtcDay, startOfDay, type UtcDay } from "./time.ts";

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

/** One site. What can be no site's id is refused: an empty one would find what is of no site. */
export function ofSite(description: string): Filter<string> {
  return textThat(description, { schema: assetId, holds: isAssetId, rule: "must be a site identifier" });
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

/** What a query can be refused for. */
export const QUERY_REFUSALS = ["malformed-query"] as const;

/** The query of a request, read by the filters that its route names. */
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

  /** What each filter says. */
  values(): { readonly [K in keyof F]: ReadBy<F[K]> | undefined } {
    const names = Object.keys(this.#filters) as (keyof F & string)[];
    return Object.fromEntries(names.map((name) => [name, this.value(name)])) as {
      readonly [K in keyof F]: ReadBy<F[K]> | undefined;
    };
  }

  /** A parameter as it was sent. */
  protected given(name: string): string | null {
    return this.#params.get(name);
  }
}

/** A refused query parameter. */
function malformed(name: string, rule: string): Problem {
  return new Problem("malformed-query", `${name} ${rule}.`, {
    errors: [{ pointer: `/${name}`, rule: "query", message: rule }],
  });
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** Largest page in bytes, one item more or less: 500 of the largest reports would be 125 MiB. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const CURSOR: Json = { type: "string", pattern: "^[A-Za-z0-9_-]+$" };

/** What every list understands beside its filters. */
export const PAGING: Filters = {
  limit: anyText(
    "Most rows in one answer; it also ends at 4 MiB, with one row at least. `next` goes on from there.",
    {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
    },
  ),
  cursor: anyText("`next` of the answer before.", CURSOR),
};

/** A page of a list, as it is described. */
export function page(items: Json): Json {
  const next = { ...orNull(CURSOR), description: "The `cursor` of the next page; null on the last." };
  return object({ items: list(items, MAX_LIMIT), next });
}

/** The query of a list: its own filters, and what is common to all of them. */
export class ListQuery<F extends Filters> extends Query<F> {
  readonly limit: number;
  /** The list's own address: a cursor holds it, since a place in one list says nothing of another's. */
  readonly path: string;

  constructor(request: Request, filters: F) {
    super(request, filters, Object.keys(PAGING));
    this.path = new URL(request.url).pathname;
    const limit = this.given("limit") ?? String(DEFAULT_LIMIT);
    this.limit = Number(limit);
    if (!/^\d+$/.test(limit) || this.limit < 1 || this.limit > MAX_LIMIT) {
      throw malformed("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
    }
  }

  /** The cursor's values, as `cursorOf` wrote them; undefined on the first page. */
  cursor<T extends readonly ("string" | "number")[]>(
    shape: T,
  ): { [K in keyof T]: T[K] extends "string" ? string : number } | undefined {
    const value = this.given("cursor");
    if (value === null) return undefined;
    let parts: unknown;
    try {
      parts = JSON.parse(Buffer.from(value, "base64url").toString("utf8"));
    } catch {
      parts = undefined;
    }
    const [path, ...values] = Array.isArray(parts) ? (parts as unknown[]) : [];
    if (
      path !== this.path ||
      values.length !== shape.length ||
      values.some((part, i) => !fits(part, shape[i]))
    ) {
      throw malformed("cursor", "must be the next value of an earlier answer");
    }
    return values as unknown as { [K in keyof T]: T[K] extends "string" ? string : number };
  }
}

function fits(part: unknown, type: "string" | "number" | undefined): boolean {
  return type === "number" ? Number.isFinite(part) : typeof part === type;
}

/** The instants of the days of a query: both are inclusive, so `to` ends with its day. */
export function instantsOf(query: ListQuery<typeof DAYS>) {
  const from = query.value("from");
  const to = query.value("to");
  return {
    from: from === undefined ? undefined : startOfDay(from),
    to: to === undefined ? undefined : startOfDay(addDays(to, 1)),
  };
}

/** How a list is written. */
interface PageShape<R> {
  readonly query: Pick<ListQuery<Filters>, "limit" | "path">;
  /** An item as JSON text. */
  readonly toText: (row: R) => string;
  /** Where the page after this row goes on. */
  readonly cursorOf: (row: R) => readonly (string | number)[];
  /** Where the list goes on after these rows, where there may be more than were looked for. */
  readonly goesOn?: readonly (string | number)[] | undefined;
}

/**
 * A page of a list and its cursor, as an answer. It ends with `limit` items or at its bound in bytes, whichever comes first, and has
 * an item in any case. Rows are read as far as they are needed: one more than is shown tells whether there is a next page.
 */
export function pageAnswer<R>(
  rows: Iterable<R>,
  { query: { limit, path }, toText, cursorOf, goesOn }: PageShape<R>,
): Response {
  const texts: string[] = [];
  let bytes = 0;
  let last: R | undefined;
  let next = goesOn === undefined ? null : cursorText([path, ...goesOn]);
  for (const row of rows) {
    const text = texts.length < limit ? toText(row) : "";
    bytes += Buffer.byteLength(text);
    if (last !== undefined && (texts.length === limit || bytes > MAX_PAGE_BYTES)) {
      next = cursorText([path, ...cursorOf(last)]);
      break;
    }
    texts.push(text);
    last = row;
  }
  const body = `{"items":[${texts.join(",")}],"next":${JSON.stringify(next)}}`;
  return new Response(body, { headers: { "content-type": "application/json;charset=utf-8" } });
}

function cursorText(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

/** Reads a list few rows at a time, so that rows beyond the page are never in memory together. */
export function* inSteps<R>(
  step: number,
  read: (after: R | undefined, limit: number) => readonly R[],
): Generator<R> {
  for (let after: R | undefined; ; ) {
    const rows = read(after, step);
    yield* rows;
    if (rows.length < step) return;
    after = rows.at(-1);
  }
}
