/**
 * TOML text read into a syntax tree, plain values and the place of every key.
 *
 * toml-eslint-parser is used because it alone gives the place of every key and value, which both the problems ("line 12")
 * and the editing that keeps comments need; it is checked against the TOML test suite by its keepers.
 */

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import { pointerToken } from "../base/contract.ts";
import { FLOW_KEYS } from "./constants_schema.ts";

/** What is wrong with a constants document, and where. */
export interface Problem {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column?: number;
  /** The key as TOML writes it, for example `assets."trail".flow_rules.alpha`; empty when it is about the whole text. */
  readonly key: string;
  /** The broken rule's code, for example `unknown-key`, `type`, `range`, `syntax`. */
  readonly rule: string;
  /** A clause that follows the key: "must be a whole number from 1 to 28". */
  readonly message: string;
}

/** A place in the text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface TomlDocument {
  readonly program: AST.TOMLProgram;
  /** Tables as objects, dates as `Date`. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Place of each key and list item by JSON Pointer. */
  readonly places: ReadonlyMap<string, Place>;
}

/** `Object.prototype` names a careless reader would assign; no site or metric needs them. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Reads `text`; the first syntax error ends the reading, forbidden and too deep keys are all named. */
export function readToml(text: string) {
  const broken = brokenBound(text);
  if (broken !== undefined) return refused({ key: "", ...broken });
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(withoutMark(text), { tomlVersion: "1.0" });
  } catch (error) {
    if (error instanceof ParseError) return refused(syntaxProblem(text, error));
    throw error;
  }
  const keys = new KeyWalk();
  keys.table(program.body[0], []);
  // Only of keys that are not refused: it assigns them.
  if (keys.problems.length > 0) return { ok: false, problems: keys.problems } as const;
  const document: TomlDocument = { program, value: getStaticTOMLValue(program), places: keys.places };
  return { ok: true, document } as const;
}

const refused = (problem: Problem) => ({ ok: false, problems: [problem] }) as const;

/** A byte-order mark becomes a space, so that every place in the tree is still a place in the text. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
}

function syntaxProblem(text: string, error: ParseError): Problem {
  const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
  const before = text.slice(0, error.index).trimEnd();
  // The parser finds a missing value where the next line starts; the line to mend is the one that ends in "=".
  if (before.endsWith("=") && text.slice(before.length, error.index).includes("\n")) {
    return {
      line: error.lineNumber - linesIn(text.slice(before.length, error.index)),
      key: "",
      rule: "syntax",
      message: "a value is missing after =",
    };
  }
  return { line: error.lineNumber, column: error.column + 1, key: "", rule: "syntax", message };
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** Notes the place of every key and list item, and each key that is refused; the tree is at most `MAX_NESTING` deep. */
class KeyWalk {
  readonly places = new Map<string, Place>();
  readonly problems: Problem[] = [];

  table(
    node: AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable,
    path: readonly (string | number)[],
  ): void {
    for (const item of node.body) {
      if (item.type === "TOMLTable") {
        if (this.#takes(item.key, [], item.resolvedKey)) this.table(item, item.resolvedKey);
      } else {
        const names = namesOf(item.key);
        if (this.#takes(item.key, path, names)) this.#content(item.value, [...path, ...names]);
      }
    }
  }

  #content(node: AST.TOMLContentNode, path: readonly (string | number)[]): void {
    if (node.type === "TOMLInlineTable") this.table(node, path);
    if (node.type !== "TOMLArray") return;
    for (const [i, element] of node.elements.entries()) {
      this.#place([...path, i], element.loc);
      this.#content(element, [...path, i]);
    }
  }

  /** Whether a key may stand there; its place is that of every table that it leads through, too. */
  #takes(key: AST.TOMLKey, path: readonly (string | number)[], names: readonly (string | number)[]): boolean {
    const whole = [...path, ...names];
    const place = { line: key.loc.start.line, column: key.loc.start.column + 1 };
    if (whole.length > MAX_NESTING) {
      this.problems.push({ ...place, key: "", ...TOO_DEEP });
      return false;
    }
    const name = whole.find((part) => typeof part === "string" && FORBIDDEN_KEYS.has(part));
    if (name !== undefined) {
      const message = `must not be named ${name}`;
      this.problems.push({ ...place, key: dottedKey(whole.map(String)), rule: "key-name", message });
      return false;
    }
    for (const i of names.keys()) this.#place(whole.slice(0, path.length + i + 1), key.loc);
    return true;
  }

  #place(path: readonly (string | number)[], loc: AST.SourceLocation): void {
    const pointer = path.map((part) => `/${pointerToken(part)}`).join("");
    if (!this.places.has(pointer)) {
      this.places.set(pointer, { line: loc.start.line, column: loc.start.column + 1 });
    }
  }
}

/** The names of a dotted key. */
export function namesOf(key: AST.TOMLKey): KeyPath & string[] {
  return key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

/** Deepest nesting of lists and inline tables, and longest dotted key; the document itself needs 5. */
export const MAX_NESTING = 16;

/** Most keys, tables and list items: 10,000 overrides, more than a thousand sites have. */
const MOST_PARTS = 10_000;

/** Strings and comments first, so that a bracket inside them does not count. Each match is linear: nothing backtracks. */
const TOKENS =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[{]|[\]}]|[=,]/g;

/**
 * Where a text first breaks a bound, and which; `undefined` where it breaks none. Counted before the text is parsed: the parser
 * recurses for each bracket, so a hostile text would end in a stack overflow after half a second of work, and everybody waits
 * while it reads many keys.
 */
export function brokenBound(text: string): Omit<Problem, "key"> | undefined {
  let depth = 0;
  let parts = 0;
  for (const match of text.matchAll(TOKENS)) {
    const token = match[0];
    if (token === "[" || token === "{") {
      depth++;
      if (depth > MAX_NESTING) return { line: lineAt(text, match.index), ...TOO_DEEP };
    } else if (token === "]" || token === "}") {
      depth = Math.max(0, depth - 1);
    }
    if (/^[=,[{]$/.test(token) && ++parts > MOST_PARTS)
      return { line: lineAt(text, match.index), ...TOO_MANY };
  }
  return undefined;
}

const TOO_DEEP = { rule: "too-deep", message: `must not nest deeper than ${MAX_NESTING}` } as const;
const TOO_MANY = {
  rule: "too-many-keys",
  message: `must have at most ${MOST_PARTS} keys, tables and list items together`,
} as const;

/** The line (from 1) that holds the character at `index`. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < index; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

/** Where a key stands: the names of its tables, then its own. */
export type KeyPath = readonly string[];

const BARE = /^[A-Za-z0-9_-]+$/;

/** The key as TOML writes it. Names that are data (site, source, metric) are always quoted, so that they stand out. */
export function dottedKey(path: KeyPath, from = 0): string {
  return path
    .slice(from)
    .map((name, i) => (BARE.test(name) && !isData(path, from + i) ? name : quoted(name)))
    .join(".");
}

/** A text as a TOML basic string. JSON's escapes are all TOML's, but JSON leaves DEL bare. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function isData(path: KeyPath, index: number): boolean {
  if (path[0] !== "assets") return false;
  if (index === 1) return true;
  if (path[2] === "signal_rules") return index === 3 || index === 4;
  return index === 3 && path[2] === "flow_rules" && !FLOW_KEYS.includes(path[3] ?? "");
}
