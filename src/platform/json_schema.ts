/** The pieces of JSON Schema that answers are described with. */

export type Json = { readonly [key: string]: unknown };

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
export const list = (items: Json): Json => ({ type: "array", items });
/** A page of a list. */
export const page = (items: Json): Json => object({ items: list(items), next: orNull(text) });
/** A shape that has a name. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
