/** The schema pieces the constants contract is made of: bounded numbers, TOML tables, defaults and overrides. */

import * as v from "valibot";
import { rule, ruleMessage } from "../base/contract_parts.ts";
import { asRead, isWithin, mustBe, THRESHOLDS, type Threshold, type ThresholdTable } from "./thresholds.ts";

/** A number for which `holds`; `message` says which. */
export function number(holds: (value: number) => boolean, message: string) {
  return v.pipe(v.number(ruleMessage("type", message)), rule<number>("range", holds, message));
}

/** A whole number from `least` to `most`, both included. */
export function whole(least: number, most: number) {
  return number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be a whole number from ${least} to ${most}`,
  );
}

type ThresholdSchemas<T extends ThresholdTable> = {
  readonly [K in keyof (typeof THRESHOLDS)[T]]: (typeof THRESHOLDS)[T][K] extends Threshold<infer V>
    ? v.GenericSchema<V>
    : never;
};

/** A schema for each threshold of a table, with its bounds. */
export function thresholds<T extends ThresholdTable>(table: T): ThresholdSchemas<T> {
  return Object.fromEntries(
    Object.entries<Threshold>(THRESHOLDS[table]).map(([key, threshold]) => [key, thresholdSchema(threshold)]),
  ) as unknown as ThresholdSchemas<T>;
}

function thresholdSchema(threshold: Threshold) {
  const { bounds, mayBeMeasured } = threshold;
  const must = mustBe(threshold);
  const type = ruleMessage("type", must);
  return v.pipe(
    mayBeMeasured === true ? v.union([v.literal("measured"), v.number()], type) : v.number(type),
    rule<number | "measured">("range", (value) => value === "measured" || isWithin(bounds, value), must),
    v.transform((value) => asRead(threshold, value)),
  );
}

/** A TOML table. A list or a date is an object to JavaScript, so both are refused by name. */
function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Judges a table by `schema`, and says `broken` to anything else. */
export function table<S extends v.GenericSchema>(
  schema: S,
  broken: string = ruleMessage("type", "must be a table"),
): v.SchemaWithPipe<readonly [v.UnknownSchema, v.CheckAction<unknown, string>, S]> {
  return v.pipe(v.unknown(), v.check(isTable, broken), schema);
}

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** The same keys, each of which may be absent. */
export function overridable<const E extends Entries>(entries: E) {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => [key, v.exactOptional(schema)]),
  ) as { [K in keyof E]: v.ExactOptionalSchema<E[K], undefined> };
}

/** The same keys, each with the default it has when absent. */
export function defaulted<const E extends Entries>(
  entries: E,
  defaults: { [K in keyof E]: v.InferOutput<E[K]> },
) {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => [key, v.optional(schema, defaults[key])]),
  ) as unknown as { [K in keyof E]: v.OptionalSchema<E[K], v.InferInput<E[K]>> };
}
