/**
 * The short way through a contract, for what arrives thousands of times: functions made once of a valibot schema that say whether a value
 * passes as it is. They copy nothing and explain nothing, and answer no wherever they cannot tell; valibot then judges. A property test holds
 * both equal on generated reports.
 */

import type * as v from "valibot";
import { onceOf } from "./base.ts";

/** Whether a value breaks no rule, has no unknown field, and comes out of the schema as it went in. */
type Fits = (value: unknown) => boolean;

/** The parts of valibot's schemas and actions that are read here. */
interface Part {
  readonly kind: "schema" | "validation" | "transformation" | "metadata";
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly key?: Part;
  readonly value?: Part;
  readonly wrapped?: Part;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
  readonly requirement?: unknown;
  readonly operation?: (value: unknown) => unknown;
  readonly "~run": (
    dataset: { typed: true; value: unknown },
    config: object,
  ) => { readonly value: unknown; readonly issues?: unknown };
}

const never: Fits = () => false;
const always: Fits = () => true;
const CONFIG = {};

const made = onceOf((schema: v.GenericSchema) => fitsOf(schema as unknown as Part));

/** Whether a value passes a schema as it is. */
export const fitsContract = (schema: v.GenericSchema, value: unknown): boolean => made(schema)(value);

function fitsOf(part: Part): Fits {
  if (part.pipe !== undefined) {
    const steps = part.pipe.filter(({ kind }) => kind !== "metadata").map(fitsOf);
    return (value) => {
      for (const step of steps) if (!step(value)) return false;
      return true;
    };
  }
  return part.kind === "schema" ? fitsOfSchema(part) : fitsOfAction(part);
}

function fitsOfSchema(schema: Part): Fits {
  const { type, entries, item, key, value: entry, options } = schema;
  switch (type) {
    case "unknown":
      return always;
    case "string":
      return (value) => typeof value === "string";
    case "number":
      return (value) => typeof value === "number" && !Number.isNaN(value);
    case "picklist":
      return (value) => options?.includes(value) === true;
    case "array":
      return item === undefined ? never : listOf(fitsOf(item));
    case "record":
      return key === undefined || entry === undefined ? never : recordOf(fitsOf(key), fitsOf(entry));
    case "object":
      return entries === undefined ? never : objectOf(entries);
    default:
      return never;
  }
}

/** A rule, or a change that must change nothing. */
function fitsOfAction(action: Part): Fits {
  const { kind, type, requirement, operation } = action;
  if (type === "check" && typeof requirement === "function") return requirement as Fits;
  if (type === "transform" && operation !== undefined) return (value) => Object.is(operation(value), value);
  if (kind !== "validation" && kind !== "transformation") return never;
  return (value) => {
    const ran = action["~run"]({ typed: true, value }, CONFIG);
    return ran.issues === undefined && Object.is(ran.value, value);
  };
}

function listOf(fits: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!fits(item)) return false;
    return true;
  };
}

/** Names that valibot leaves out of a record. */
const INHERITED: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);

function recordOf(fitsKey: Fits, fits: Fits): Fits {
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key of Object.keys(value)) {
      if (INHERITED.has(key) || !fitsKey(key) || !fits(value[key])) return false;
    }
    return true;
  };
}

function objectOf(entries: Readonly<Record<string, Part>>): Fits {
  const known = new Map<string, Fits>();
  const required: string[] = [];
  for (const [key, entry] of Object.entries(entries)) {
    const { type, wrapped } = entry;
    // One with a default would be filled in where it is absent.
    const isOptional = type === "exact_optional" && wrapped !== undefined && entry.default === undefined;
    known.set(key, fitsOf(isOptional ? wrapped : entry));
    if (!isOptional) required.push(key);
  }
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key of Object.keys(value)) if (known.get(key)?.(value[key]) !== true) return false;
    for (const key of required) if (!Object.hasOwn(value, key)) return false;
    return true;
  };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
