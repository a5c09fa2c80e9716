/** The pieces of JSON Schema that answers are described with. */
import { ASSET_ID_PATTERN } from "../lib/asset_id.ts";

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
