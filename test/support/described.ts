/** Compares an answer with its JSON Schema in the API's description, both ways: a field that is not described is a fault too. */
import type { Json } from "../../src/platform/json_schema.ts";

/** What an answer says that its description does not, and the other way round. */
export function undescribed(document: Json, schema: Json, value: unknown, path = ""): string[] {
  const named = dereferenced(document, schema);
  const choices = named["anyOf"] as readonly Json[] | undefined;
  if (choices !== undefined) {
    const faults = choices.map((choice) => undescribed(document, choice, value, path));
    return faults.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  const shape = shapeOf(document, named);
  if (shape !== undefined) return ofObject(document, shape, value, path);
  const { type, items, enum: values, const: only } = named;
  if (values !== undefined) return (values as unknown[]).includes(value) ? [] : [`${path} is ${value}`];
  if (only !== undefined) return value === only ? [] : [`${path} is ${value}`];
  if (type === "array") {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item) => undescribed(document, (items as Json) ?? {}, item, `${path}[]`));
  }
  if (type === undefined || type === typeOf(value) || (type === "number" && typeOf(value) === "integer"))
    return [];
  return [`${path} is ${typeOf(value)}, not ${String(type)}`];
}

interface Shape {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly rest: Json | undefined;
}

function ofObject(
  document: Json,
  { properties, required, rest }: Shape,
  value: unknown,
  path: string,
): string[] {
  if (typeOf(value) !== "object") return [`${path} is no object`];
  const given = value as Record<string, unknown>;
  const missing = required
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => `${path}/${name} is missing`);
  const judged = Object.entries(given).flatMap(([name, part]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : rest;
    if (schema === undefined) return [`${path}/${name} is not described`];
    return undescribed(document, schema, part, `${path}/${name}`);
  });
  return [...missing, ...judged];
}

/** The fields of an object, those of `allOf` together; undefined where the schema describes none. */
function shapeOf(document: Json, schema: Json): Shape | undefined {
  const parts = schema["allOf"] as readonly Json[] | undefined;
  if (parts !== undefined) {
    const shapes = parts.flatMap((part) => shapeOf(document, dereferenced(document, part)) ?? []);
    return {
      properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
      required: shapes.flatMap(({ required }) => required),
      rest: undefined,
    };
  }
  const { properties, additionalProperties, required } = schema;
  if (properties === undefined && additionalProperties === undefined) return undefined;
  return {
    properties: (properties ?? {}) as Record<string, Json>,
    required: (required ?? []) as string[],
    rest: additionalProperties as Json | undefined,
  };
}

function dereferenced(document: Json, schema: Json): Json {
  const name = schema["$ref"];
  if (typeof name !== "string") return schema;
  const path = name.slice(2).split("/");
  return path.reduce((at: Json, token) => at[token] as Json, document);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
