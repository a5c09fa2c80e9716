/**
 * Compares a value with its JSON Schema in the API's description. What is answered is compared both ways: a field that is not
 * described is a fault too. What is sent may hold more.
 */

import type { Json } from "../../src/base/api_description.ts";
import { codePoints } from "../../src/base/contract.ts";
import { parseInstant, parseUtcDay } from "../../src/base/time.ts";

/** What an answer says that its description does not, and the other way round. */
export function undescribed(document: Json, schema: Json, value: unknown): string[] {
  return faultsOf({ document, isWhole: true }, schema, value, "");
}

/** What of a body its description refuses. */
export function refusedBy(document: Json, schema: Json, value: unknown): string[] {
  return faultsOf({ document, isWhole: false }, schema, value, "");
}

interface Against {
  readonly document: Json;
  /** Every field must be described. */
  readonly isWhole: boolean;
}

function faultsOf(against: Against, schema: Json, value: unknown, path: string): string[] {
  const named = dereferenced(against.document, schema);
  const choices = named["anyOf"] as readonly Json[] | undefined;
  if (choices !== undefined) {
    const faults = choices.map((choice) => faultsOf(against, choice, value, path));
    return faults.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  const { type, items, enum: values, const: only } = named;
  if (values !== undefined && !(values as unknown[]).includes(value)) return [`${path} is ${value}`];
  if (only !== undefined && value !== only) return [`${path} is ${value}`];
  const shape = shapeOf(against.document, named);
  if (shape !== undefined) return ofObject(against, shape, value, path);
  if (type === "array") {
    if (!Array.isArray(value)) return [`${path} is no list`];
    const parts = value.flatMap((item, at) =>
      faultsOf(against, (items as Json) ?? {}, item, `${path}/${at}`),
    );
    return [...parts, ...beyond(named, "maxItems", value.length, path)];
  }
  if (type === undefined || type === typeOf(value) || (type === "number" && typeOf(value) === "integer")) {
    return beyondBounds(named, value, path);
  }
  return [`${path} is ${typeOf(value)}, not ${String(type)}`];
}

function beyondBounds(schema: Json, value: unknown, path: string): string[] {
  if (typeof value === "number") {
    return [...beyond(schema, "minimum", value, path), ...beyond(schema, "maximum", value, path)];
  }
  if (typeof value !== "string") return [];
  const { pattern, format } = schema;
  const isOfPattern = typeof pattern !== "string" || new RegExp(pattern, "u").test(value);
  const isOfFormat = typeof format !== "string" || (FORMATS[format]?.(value) ?? false);
  return [
    ...beyond(schema, "minLength", codePoints(value), path),
    ...beyond(schema, "maxLength", codePoints(value), path),
    ...(isOfPattern ? [] : [`${path} is not of its pattern`]),
    ...(isOfFormat ? [] : [`${path} is no ${String(format)}`]),
    ...(value.isWellFormed() ? [] : [`${path} is no text`]),
  ];
}

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  "date-time": (value) => parseInstant(value) !== undefined,
  date: (value) => parseUtcDay(value) !== undefined,
  uri: URL.canParse,
  uuid: (value) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
};

/** What lies beyond a bound, if there is one. */
function beyond(schema: Json, bound: string, value: number, path: string): string[] {
  const limit = schema[bound];
  if (typeof limit !== "number") return [];
  return (bound.startsWith("min") ? value < limit : value > limit)
    ? [`${path} is beyond ${bound} ${limit}`]
    : [];
}

interface Shape {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly rest: Json | undefined;
  readonly names: Json | undefined;
  readonly most: Json;
}

function ofObject(against: Against, shape: Shape, value: unknown, path: string): string[] {
  if (typeOf(value) !== "object") return [`${path} is no object`];
  const { properties, required, rest, names, most } = shape;
  const given = value as Record<string, unknown>;
  const missing = required
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => `${path}/${name} is missing`);
  const judged = Object.entries(given).flatMap(([name, part]) => {
    const at = `${path}/${name}`;
    const schema = Object.hasOwn(properties, name) ? properties[name] : rest;
    const named = names === undefined ? [] : faultsOf(against, names, name, at);
    if (schema === undefined) return against.isWhole ? [...named, `${at} is not described`] : named;
    return [...named, ...faultsOf(against, schema, part, at)];
  });
  return [...missing, ...judged, ...beyond(most, "maxProperties", Object.keys(given).length, path)];
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
      names: undefined,
      most: {},
    };
  }
  const { properties, additionalProperties, required, propertyNames } = schema;
  if (properties === undefined && additionalProperties === undefined) return undefined;
  return {
    properties: (properties ?? {}) as Record<string, Json>,
    required: (required ?? []) as string[],
    rest: additionalProperties as Json | undefined,
    names: propertyNames as Json | undefined,
    most: schema,
  };
}

/** A schema, or the one that it names. */
export function dereferenced(document: Json, schema: Json): Json {
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
