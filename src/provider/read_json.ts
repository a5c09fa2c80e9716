import * as v from "valibot";
import type { Outcome } from "./contract.ts";
import { refused } from "./fault.ts";

/** An object with these parts, and others beside them; a list is none, though it may seem one without parts. */
export function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
    v.object(entries),
  );
}

/** The value of a body's text, of the shape that a report has. */
export function readJson<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  try {
    return shaped(JSON.parse(text), schema);
  } catch {
    return refused("unreadable_report");
  }
}

/** A value of the shape that a report has. */
export function shaped<Schema extends v.GenericSchema>(
  value: unknown,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  const read = v.safeParse(schema, value);
  return read.success ? { ok: true, value: read.output } : refused("unexpected_report");
}
