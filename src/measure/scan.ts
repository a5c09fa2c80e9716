/** The moving point of the line counter: where it is in a text, and what each line has shown so far. */

// Searches that run over a text once, however often they are asked.

/** The first match at or behind a place; `undefined` when there is none. */
export type Search = (from: number) => Match | undefined;

interface Match {
  readonly at: number;
  readonly end: number;
  /** The first group of a pattern. */
  readonly group: string;
}

/**
 * A search that remembers its last answer. Asked again from a place before that answer it repeats it, so that asking from
 * ever later places costs one pass in all.
 */
export function searchFor(text: string, needle: string | RegExp): Search {
  let asked = -1;
  let last: Match | undefined;
  return (from) => {
    if (asked >= 0 && from >= asked && (last === undefined || from <= last.at)) return last;
    asked = from;
    last = typeof needle === "string" ? findText(text, needle, from) : findPattern(text, needle, from);
    return last;
  };
}

function findText(text: string, needle: string, from: number): Match | undefined {
  const at = text.indexOf(needle, from);
  return at < 0 ? undefined : { at, end: at + needle.length, group: "" };
}

/** The pattern is global: it starts at any place. */
function findPattern(text: string, pattern: RegExp, from: number): Match | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null
    ? undefined
    : { at: match.index, end: match.index + match[0].length, group: match[1] ?? "" };
}

/** Bits of a line: it holds code, it holds a comment. */
export const CODE = 1;
export const COMMENT = 2;

const NEWLINE = 10;

/** Lines of a file, counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** An item that is compiled for tests only, from its attribute on; `open` once its body has begun. */
interface TestItem {
  readonly from: number;
  readonly depth: number;
  open: boolean;
}

/** A branch of the preprocessor that holds tests, and the conditions that are open inside it. */
interface TestBranch {
  readonly from: number;
  nested: number;
}

/** What is known of test items while a file is read. */
interface InlineTests {
  readonly ranges: LineRange[];
  /** Names of modules in files of their own. */
  readonly modules: string[];
  item?: TestItem | undefined;
  branch?: TestBranch | undefined;
}

export interface Scan {
  readonly text: string;
  /** Index behind the part of the text that is being read. */
  end: number;
  at: number;
  line: number;
  readonly marks: Uint8Array;
  /** Index of the last character of code, or -1. */
  last: number;
  /** Open brackets, for Python's docstrings and for template strings. */
  depth: number;
  /** Depths at which a `${` of a template string was opened. */
  readonly templates: number[];
  /** Here-documents that start with the next line. */
  readonly heredocs: string[];
  /** For each quote (by character code) the end of the last line on which it opened and never closed. */
  readonly unterminated: number[];
  /** Here-documents whose closing word never came. */
  unclosed: number;
  /** Searches for closers. Parts of a file end before the text does, so one closer can be asked for again and again. */
  readonly searches: Map<string, Search>;
  /** Where comments and literals start and end, when somebody asks for it. */
  readonly comments: number[] | undefined;
  readonly literals: number[] | undefined;
  readonly tests: InlineTests;
}

/** A scan of the whole text. */
export function startScan(text: string, comments?: number[], literals?: number[]): Scan {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return {
    text,
    end: text.length,
    at: 0,
    line: 0,
    marks: new Uint8Array(lines),
    last: -1,
    depth: 0,
    templates: [],
    heredocs: [],
    unterminated: [],
    unclosed: 0,
    searches: new Map(),
    comments,
    literals,
    tests: { ranges: [], modules: [] },
  };
}

/** Moves to `to` and marks every line that has something other than white space on the way. */
export function consume(scan: Scan, to: number, mark: number): void {
  const { text, marks, at: from } = scan;
  const stop = Math.min(to, scan.end);
  for (let at = scan.at; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (unit === NEWLINE) scan.line++;
    else if (!isSpace(unit)) marks[scan.line] = (marks[scan.line] ?? 0) | mark;
  }
  scan.at = stop;
  if (mark === CODE) scan.last = stop - 1;
  (mark === CODE ? scan.literals : scan.comments)?.push(from, stop);
}

/** Index behind `close`, or the end of the part when it never comes. */
export function behind(scan: Scan, close: string, from: number): number {
  const found = find(scan, close, from);
  return found < 0 ? scan.end : Math.min(scan.end, found + close.length);
}

/** Index of `needle` at or behind `from`, or -1; may lie behind the part. */
function find(scan: Scan, needle: string, from: number): number {
  const search = scan.searches.getOrInsertComputed(needle, () => searchFor(scan.text, needle));
  return search(from)?.at ?? -1;
}

/** Index behind `close`, where a backslash takes the next character. */
export function behindUnescaped(scan: Scan, close: string, from: number): number {
  let at = from;
  for (;;) {
    const found = find(scan, close, at);
    if (found < 0 || found >= scan.end) return scan.end;
    let slashes = 0;
    while (found - slashes - 1 >= from && scan.text.charCodeAt(found - slashes - 1) === 0x5c) slashes++;
    if (slashes % 2 === 0) return Math.min(scan.end, found + close.length);
    at = found + 1;
  }
}

/** Index of the end of the line (of its newline, or of the text). */
export function lineEnd(scan: Scan, from: number): number {
  const found = find(scan, "\n", from);
  return found < 0 || found > scan.end ? scan.end : found;
}

/** Whether only white space stands before `at` on its line. */
export function isFirstOnLine(scan: Scan, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const unit = scan.text.charCodeAt(i);
    if (unit === NEWLINE) return true;
    if (!isSpace(unit)) return false;
  }
  return true;
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0 || unit === 0xfeff;
}

/** Letters, digits, `_`, `$` and everything beyond ASCII. */
export function isWord(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f ||
    unit === 0x24 ||
    unit >= 0x80
  );
}

// Rust keeps unit tests in the file they test, below `#[cfg(test)]`: which lines those items take.

/** The text with something else in the place of each of its spans, which are starts and ends one behind the other. */
export function replaced(text: string, spans: readonly number[], by: (part: string) => string): string {
  let out = "";
  let at = 0;
  for (let index = 0; index < spans.length; index += 2) {
    const [start = at, end = start] = spans.slice(index, index + 2);
    out += text.slice(at, start) + by(text.slice(start, end));
    at = end;
  }
  return out + text.slice(at);
}

/** The text with its inline tests as empty lines. */
export function withoutTests(text: string, tests: readonly LineRange[]): string {
  const lines = text.split("\n");
  for (const { from, to } of tests) lines.fill("", from - 1, to);
  return lines.join("\n");
}

/** The attributes of test items. What `any(test, …)` or `not(test)` guards is built for others as well. */
const ATTRIBUTE =
  /#\s{0,20}\[\s{0,20}(?:cfg\s{0,20}\(\s{0,20}(?:test\s{0,20}\)|all\s{0,20}\((?:[^()\]]{0,200},)?\s{0,20}test\s{0,20}[,)])|(?:\w{1,40}::){0,3}test\s{0,20}[\](])/y;

const MODULE = /\bmod\s+(\w+)\s*$/;

/** The characters that begin and end items, each with its reader. None of them consumes: they are code like any other. */
export const INLINE_TESTS: readonly (readonly [string, (scan: Scan) => boolean])[] = [
  ["#", readAttribute],
  ["{", openBody],
  ["(", open],
  ["[", open],
  ["}", closeBody],
  [")", close],
  ["]", close],
  [";", endItem],
];

function readAttribute(scan: Scan): boolean {
  if (scan.tests.item !== undefined) return false;
  ATTRIBUTE.lastIndex = scan.at;
  if (ATTRIBUTE.test(scan.text)) scan.tests.item = { from: scan.line + 1, depth: scan.depth, open: false };
  return false;
}

/** Counts an opening bracket, which is code like any other. */
export function open(scan: Scan): boolean {
  scan.depth++;
  return false;
}

function openBody(scan: Scan): boolean {
  const { item } = scan.tests;
  if (item?.depth === scan.depth) item.open = true;
  return open(scan);
}

export function close(scan: Scan): boolean {
  scan.depth = Math.max(0, scan.depth - 1);
  return false;
}

function closeBody(scan: Scan): boolean {
  close(scan);
  const { item } = scan.tests;
  if (item === undefined) return false;
  if (item.open && scan.depth === item.depth) endAt(scan, item);
  // A field or an arm without a body ends with what it lies in.
  else if (scan.depth < item.depth) scan.tests.item = undefined;
  return false;
}

/** An import, or a module in a file of its own. */
function endItem(scan: Scan): boolean {
  const { item } = scan.tests;
  if (item === undefined || item.open || scan.depth !== item.depth) return false;
  const module = MODULE.exec(scan.text.slice(Math.max(0, scan.at - 100), scan.at))?.[1];
  if (module !== undefined) scan.tests.modules.push(module);
  endAt(scan, item);
  return false;
}

/** Two items on one line share it. */
function endAt(scan: Scan, item: TestItem): void {
  const { ranges } = scan.tests;
  const from = Math.max(item.from, (ranges.at(-1)?.to ?? 0) + 1);
  if (from <= scan.line + 1) ranges.push({ from, to: scan.line + 1 });
  scan.tests.item = undefined;
}
