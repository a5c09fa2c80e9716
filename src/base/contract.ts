/**
 * Reading an outside value against a valibot schema: every broken rule with its JSON Pointer, and every field the
 * schema does not know, by pointer, so that a typo is never silent. valibot's own `strictObject` would refuse such a field; the contract
 * accepts it and names it: what came in is held against what came out.
 */

import * as v from "valibot";
import { onceOf } from "./base.ts";

/** One broken rule: where (RFC 6901 pointer), which rule, and what to do about it. */
export interface BrokenRule {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
}

/** Most broken rules named in one answer; the rest is counted in `more`. */
export const MAX_BROKEN_RULES = 50;

const SEPARATOR = "\u0000";

/** Packs a rule's code and its sentence into one valibot message. */
export function ruleMessage(rule: string, message: string): string {
  return `${rule}${SEPARATOR}${message}`;
}

/** A named check: `code` is what the answer calls the rule. */
export function rule<T>(code: string, holds: (input: T) => boolean, message: string) {
  return v.check<T, string>(holds, ruleMessage(code, message));
}

/** Every currency that the runtime knows, by its uppercase ISO 4217 code; XXX stands for none, and XTS for a test. */
export const CURRENCIES: readonly string[] = Intl.supportedValuesOf("currency").filter(
  (code) => code !== "XXX" && code !== "XTS",
);

const currencies: ReadonlySet<string> = new Set(CURRENCIES);

export const isCurrencyCode = (code: string): boolean => currencies.has(code);

export const CURRENCY_MUST = "must be an uppercase ISO 4217 code such as EUR";

/** The code of a currency that exists. */
export const currencyRule = rule<string>("currency", isCurrencyCode, CURRENCY_MUST);

/** Length of a string in Unicode code points. */
export function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** A well-formed string of at most `max` code points. */
export function text(max: number) {
  return v.pipe(
    v.string(ruleMessage("type", "must be a string")),
    rule<string>("well-formed", (value) => value.isWellFormed(), "must not hold a lone surrogate"),
    rule<string>(
      "max-length",
      (value) => value.length <= max || codePoints(value) <= max,
      `must have at most ${max} characters`,
    ),
    v.metadata({ maxLength: max }),
  );
}

/** What holds of a string without a control character, as a pattern: for the API's description, which judging never asks. */
export const NO_CONTROL = { pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$` } as const;

/** Whether a string holds a control character (Unicode category Cc: C0, DEL and C1). */
export const hasControl = (value: string): boolean => /\p{Cc}/u.test(value);

/** A list with a bound that is checked before any item, so a hostile list costs one issue, not thousands. */
export function boundedList<S extends v.GenericSchema>(item: S, max: number) {
  return v.pipe(
    v.array(v.unknown(), ruleMessage("type", "must be a list")),
    rule<unknown[]>("max-items", (list) => list.length <= max, `must have at most ${max} items`),
    v.transform((list) => list),
    v.array(item, ruleMessage("type", "must be a list")),
    v.metadata({ maxItems: max }),
  );
}

/** An object with known fields; a list is none, though JavaScript calls it an object. */
export function fields<E extends v.ObjectEntries>(entries: E) {
  return v.pipe(plainObject, v.object(entries, ruleMessage("type", "must be an object")));
}

/** Anything that JSON calls an object. */
export const plainObject = v.pipe(
  v.unknown(),
  v.check(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    ruleMessage("type", "must be an object"),
  ),
);

/** Escapes one token of a JSON Pointer (RFC 6901). */
export function pointerToken(token: string | number): string {
  return String(token).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Judges `input`; the value that comes back holds only what the schema knows. */
export function readContract<S extends v.GenericSchema>(schema: S, input: unknown) {
  // Most reports pass as they are.
  if (fitsContract(schema, input))
    return { ok: true, value: input as v.InferOutput<S>, ignored: [] } as const;
  const result = v.safeParse(schema, input, { abortPipeEarly: false });
  if (!result.success) {
    const errors: BrokenRule[] = [];
    const seen = new Set<string>();
    let total = 0;
    for (const issue of result.issues) {
      const broken = toBrokenRule(issue);
      const key = `${broken.pointer}${SEPARATOR}${broken.rule}`;
      if (seen.has(key)) continue;
      seen.add(key);
      total++;
      if (errors.length < MAX_BROKEN_RULES) errors.push(broken);
    }
    return { ok: false, errors, more: total - errors.length } as const;
  }
  return { ok: true, value: result.output, ignored: collectIgnored(input, result.output) } as const;
}

/** Names the fields that came in and did not come out. `path` is spelled out only where there is one: most reports have none. */
function collectIgnored(
  input: unknown,
  output: unknown,
  path: (string | number)[] = [],
  ignored: string[] = [],
): string[] {
  if (typeof input !== "object" || input === null || typeof output !== "object" || output === null)
    return ignored;
  for (const [key, value] of Object.entries(input)) {
    path.push(key);
    if (!Object.hasOwn(output, key)) ignored.push(pointerOf(path));
    else collectIgnored(value, (output as Record<string, unknown>)[key], path, ignored);
    path.pop();
  }
  return ignored;
}

function toBrokenRule(issue: v.BaseIssue<unknown>): BrokenRule {
  const pointer = pointerOf((issue.path ?? []).map((item) => item.key as string | number));
  const last = issue.path?.at(-1);
  const missing =
    issue.kind === "schema" &&
    issue.input === undefined &&
    (last as { value?: unknown } | undefined)?.value === undefined;
  if (missing && last !== undefined) return { pointer, rule: "required", message: "must be present" };
  const cut = issue.message.indexOf(SEPARATOR);
  if (cut >= 0) return { pointer, rule: issue.message.slice(0, cut), message: issue.message.slice(cut + 1) };
  return {
    pointer,
    rule: "type",
    message: issue.expected === null ? "is not allowed" : `must be ${issue.expected}`,
  };
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${pointerToken(token)}`).join("");
}

/** The identifier of a monitored site. */
export type AssetId = string;

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether a text has the shape of a site identifier. */
export function isAssetId(text: string): text is AssetId {
  return SHAPE.test(text);
}

/** The shape, for the API's description. */
export const ASSET_ID_PATTERN = SHAPE.source;

/** A site identifier in a contract. */
export const AssetIdSchema = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  rule<string>(
    "asset-id",
    isAssetId,
    "must start with a letter or digit and hold at most 128 letters, digits, dots, underscores and hyphens",
  ),
  v.metadata({ pattern: ASSET_ID_PATTERN }),
);

/**
 * What a table says of a name that somebody else chose: `table[name]` would also find what every object has, such as `toString`, and
 * that is no entry.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

// The short way through a contract, for what arrives thousands of times: functions made once of a valibot schema that
// say whether a value passes as it is. They copy nothing and explain nothing, and answer no wherever they cannot tell;
// valibot then judges. A property test holds both equal on generated reports.

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
    const isOptional = type === "exact_optional" && wrapped !== undefined;
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
