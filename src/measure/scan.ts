/** The moving point of the line counter: where it is in a text, and what each line has shown so far. */
import { type Search, searchFor } from "./find.ts";

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
export interface TestItem {
  readonly from: number;
  readonly depth: number;
  open: boolean;
}

/** A branch of the preprocessor that holds tests, and the conditions that are open inside it. */
export interface TestBranch {
  readonly from: number;
  nested: number;
}

/** What is known of test items while a file is read. */
export interface InlineTests {
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
  /** Where comments start and end, when somebody asks for it. */
  readonly comments: number[] | undefined;
  readonly tests: InlineTests;
}

/** A scan of the whole text. */
export function startScan(text: string, comments?: number[]): Scan {
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
  else scan.comments?.push(from, stop);
}

/** Index behind `close`, or the end of the part when it never comes. */
export function behind(scan: Scan, close: string, from: number): number {
  const found = find(scan, close, from);
  return found < 0 || found + close.length > scan.end ? scan.end : found + close.length;
}

/** Index of `needle` at or behind `from`, or -1; may lie behind the part. */
function find(scan: Scan, needle: string, from: number): number {
  const known = scan.searches.get(needle);
  const search = known ?? searchFor(scan.text, needle);
  if (known === undefined) scan.searches.set(needle, search);
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
