/** What a list of the read API may be narrowed to: each filter with what it takes, what it means, and how it is read. */
import { parseUtcDay, type UtcDay } from "../lib/utc_day.ts";
import { date, type Json, text } from "./json_schema.ts";

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

/** What a filter reads. */
export type ReadBy<F> = F extends Filter<infer T> ? T : never;

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
