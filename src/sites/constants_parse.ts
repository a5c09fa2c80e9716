/** The constants document read and judged; every problem comes with its line. */

import { type BrokenRule, MAX_BROKEN_RULES, readContract } from "../base/contract.ts";
import { type Constants, ConstantsSchema, MAX_DOCUMENT_BYTES } from "./constants_schema.ts";
import { dottedKey, type Place, type Problem, readToml, type TomlDocument } from "./toml.ts";

/** One problem in one line: `line 12, flow_rules.alpha: must be ...`. */
export function problemLine(problem: Problem): string {
  const at = `line ${problem.line}`;
  return problem.key === "" ? `${at}: ${problem.message}` : `${at}, ${problem.key}: ${problem.message}`;
}

/** A write that was cut short leaves this, and it would take every threshold back to its default. */
const BLANK: Problem = {
  line: 1,
  key: "",
  rule: "empty",
  message: "must not be empty; to have every default, keep one table, such as [freshness]",
};

/** Reads a constants document. An unknown key is a problem too: a typo in a threshold must never be silent. */
export function parseConstants(text: string) {
  const size = checkSize(text);
  if (size !== undefined) return refused([size]);
  if (!text.isWellFormed()) {
    return refused([{ line: 1, key: "", rule: "well-formed", message: "must not hold a lone surrogate" }]);
  }
  if (text.trim() === "") return refused([BLANK]);
  const toml = readToml(text);
  if (!toml.ok) return refused(toml.problems);
  const result = readContract(ConstantsSchema, toml.document.value);
  if (result.ok) {
    /** When it names no key at all: comments alone. */
    const isBare = Object.keys(toml.document.value).length === 0;
    return { ok: true, constants: result.value, isBare } as const;
  }
  return refused(
    result.errors.map((error) => problemAt(toml.document, error)),
    result.more,
  );
}

/** The problem of a text beyond `MAX_DOCUMENT_BYTES`, before any work is done on it. */
export function checkSize(text: string): Problem | undefined {
  if (Buffer.byteLength(text) <= MAX_DOCUMENT_BYTES) return undefined;
  return { line: 1, key: "", rule: "too-large", message: `must have at most ${MAX_DOCUMENT_BYTES} bytes` };
}

/** The problems in the order of the text; `more` counts those beyond the fiftieth. */
function refused(problems: readonly Problem[], more = 0) {
  const inOrder = problems.toSorted((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0));
  const named = inOrder.slice(0, MAX_BROKEN_RULES);
  return { ok: false, problems: named, more: more + inOrder.length - named.length } as const;
}

function problemAt(document: TomlDocument, { pointer, rule, message }: BrokenRule): Problem {
  const names = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return { ...placeOf(document, pointer), key: dottedKey(names), rule, message };
}

/** The place of the value, or of the nearest table around it. */
function placeOf(document: TomlDocument, pointer: string): Place {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const place = document.places.get(at);
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}

/** A text that may take effect. */
export interface GoodDocument {
  readonly text: string;
  /** SHA-256 of the bytes, in lower-case hexadecimal. */
  readonly digest: string;
  readonly constants: Constants;
}

/** Why a file may not take effect. */
export interface Refusal {
  readonly reason: "invalid" | "missing" | "unreadable";
  readonly problems: readonly Problem[];
  /** Problems beyond those named. */
  readonly more: number;
}

/** A file's bytes. */
export interface FoundBytes {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

const BARE: Problem = {
  line: 1,
  key: "",
  rule: "empty",
  message:
    "must set something: comments alone take every threshold back to its default, as a file that was cut short would; to mean it, save it in the Tower or keep one table, such as [freshness]",
};

/**
 * Judges a file's bytes. A file of comments alone is taken only when it is the version `inEffect` already, as after a save in the
 * Tower, which shows what falls away before: a file that was cut short looks just the same.
 */
export function judgeDocument({ bytes, digest }: FoundBytes, inEffect: string | undefined) {
  const { text, problem } = decoded(bytes);
  const refused = (problems: readonly Problem[], more = 0) =>
    ({ ok: false, text, refusal: { reason: "invalid", problems, more } }) as const;
  if (problem !== undefined) return refused([problem]);
  const parsed = parseConstants(text);
  if (!parsed.ok) return refused(parsed.problems, parsed.more);
  if (parsed.isBare && digest !== inEffect) return refused([BARE]);
  return { ok: true, good: { text, digest, constants: parsed.constants } } as const;
}

/**
 * Reads bytes as UTF-8; where they are none, the text has marks in place of what could not be read. A byte-order mark stays, so
 * that the text still has the bytes' digest.
 */
function decoded(bytes: Uint8Array): { readonly text: string; readonly problem?: Problem } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
    const problem = { line, key: "", rule: "utf-8", message: "must be UTF-8 text" };
    return { text, problem };
  }
}
