/** What the API takes and gives, as JSON Schema: made from the very contracts that judge the bodies. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { SERIES_SOURCES } from "./flags/contract.ts";

export type Json = { readonly [key: string]: unknown };

/** Reads a contract into JSON Schema; rules that JSON Schema cannot say stand in the specification. */
export function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "output" }) as Json;
  return rest;
}

export const text: Json = { type: "string" };
export const count: Json = { type: "integer", minimum: 0 };
export const instant: Json = { type: "string", format: "date-time" };
export const date: Json = { type: "string", format: "date" };
export const pointers: Json = { type: "array", items: text };

export const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });
export const object = (
  properties: { readonly [name: string]: Json },
  required = Object.keys(properties),
): Json => ({
  type: "object",
  properties,
  required,
});
export const list = (items: Json): Json => object({ items: { type: "array", items }, next: orNull(text) });
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: Json): Json => ({ "application/json": { schema } });

export const changedAlerts: Json = { type: "array", items: object({ id: text, rule: text }) };

/** Every shape that has a name. */
export const SCHEMAS: { readonly [name: string]: Json } = {
  Problem: object(
    {
      type: text,
      title: text,
      status: { type: "integer" },
      detail: text,
      instance: { ...text, description: "The request id, also in x-request-id." },
      errors: {
        type: "array",
        maxItems: 50,
        items: object({ pointer: { ...text, description: "JSON Pointer" }, rule: text, message: text }),
      },
      more: { ...count, description: "Broken rules beyond those named." },
    },
    ["type", "title", "status", "detail", "instance"],
  ),
  Asset: object({
    id: text,
    asset: text,
    url: orNull(text),
    lifecycle: { enum: ["live", "pre-launch", "retired"] },
    families: {
      type: "array",
      items: object({ family: text, storage: { enum: ["d1", "analytics-engine", "r2", "kv"] } }),
    },
    added_at: instant,
    added_by: text,
  }),
  Flag: object({
    id: text,
    asset: text,
    rule: orNull(text),
    subject: text,
    origin: { enum: ["site", "rule", "provider"] },
    severity: { enum: ["info", "warn", "error"] },
    kind: { enum: ["anomaly", "opportunity", "milestone"] },
    metric: orNull(text),
    message: text,
    status: { enum: ["open", "resolved"] },
    rule_inputs: orNull({ type: "object" }),
    raised_at: instant,
    resolved_at: orNull(instant),
    resolution: orNull(text),
    acked_at: orNull(instant),
    acked_by: orNull(text),
    snoozed_until: orNull(instant),
    tuned_at: orNull(instant),
    incident: orNull(text),
    hypothesis: orNull(text),
    source: orNull({ enum: SERIES_SOURCES }),
    renews: orNull(text),
  }),
};
