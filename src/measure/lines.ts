/**
 * The line counter `codelines`: which lines of a file hold code, which only comments. A line with both is code; a
 * line with nothing but white space is blank, wherever it stands. Documentation in a text of its own, as of Python and Elixir, is a comment.
 */

import { type Reader, readHeredocBodies, readOneLine, SPECIALS } from "./literals.ts";
import {
  behind,
  behindUnescaped,
  CODE,
  COMMENT,
  consume,
  isFirstOnLine,
  isSpace,
  lineEnd,
  type Scan,
  startScan,
} from "./scan.ts";
import { SYNTAXES, type Syntax, type SyntaxName } from "./syntax.ts";

/** The counter's own version: any change of a rule or of the language table raises it. */
export const LINE_COUNTER = "codelines 1.4.0";

/** Lines of one file, without those of tests inside it. */
export type LineCount = ReturnType<typeof countLines>;

/** Counts the lines of a text; `comments` and `literals` take the start and the end of each. */
export function countLines(text: string, syntax: SyntaxName, comments?: number[], literals?: number[]) {
  const scan = startScan(text, comments, literals);
  readProgramLine(scan);
  readPart(scan, syntax, text.length);
  const tests = scan.tests.ranges;
  const own = countMarks(scan.marks, 0, scan.marks.length);
  const inside = tests.map(({ from, to }) => countMarks(scan.marks, from - 1, to));
  const testCode = inside.reduce((sum, part) => sum + part.code, 0);
  return {
    code: own.code - testCode,
    comment: own.comment - inside.reduce((sum, part) => sum + part.comment, 0),
    /** Code lines of tests inside the file, and where these tests stand. */
    testCode,
    tests,
    /** Modules in files of their own that are for tests only. */
    testModules: scan.tests.modules,
    /** Lines before the first line of code, as far as they are looked at. */
    head: headLines(text, scan.marks),
  };
}

/** The first line that names the program which runs the file does something: it is no comment, whatever the language says of `#`. */
function readProgramLine(scan: Scan): void {
  if (/^#![ \t]*\//.test(scan.text.slice(0, 50))) consume(scan, lineEnd(scan, 0), CODE);
}

/** Lines that a language asks for at the start: what stands behind them is still the head. */
const PREAMBLE =
  /^\s*(?:#!.*|<\?php|<\?xml[^>\n]*\?>|["']use strict["'];?|@charset "[^"\n]*";|#pragma once)\s*$/;
const HEAD_LENGTH = 4_000;

function headLines(text: string, marks: Uint8Array): number {
  const lines = text.slice(0, HEAD_LENGTH).split("\n");
  const code = lines.findIndex((line, at) => ((marks[at] ?? 0) & CODE) !== 0 && !PREAMBLE.test(line));
  return code < 0 ? lines.length : code;
}

/** The comments with which a text starts. */
export function headOf(text: string, { head }: LineCount): string {
  return text.slice(0, HEAD_LENGTH).split("\n", head).join("\n");
}

function countMarks(marks: Uint8Array, from: number, to: number): { code: number; comment: number } {
  let code = 0;
  let comment = 0;
  for (let line = from; line < to; line++) {
    const mark = marks[line] ?? 0;
    if ((mark & CODE) !== 0) code++;
    else if (mark !== 0) comment++;
  }
  return { code, comment };
}

type Openers = readonly (readonly Reader[] | undefined)[];

const compiled = new Map<SyntaxName, Openers>();

/** Reads up to `end` by the rules of one syntax; stops early where a part of another syntax takes over again. */
function readPart(scan: Scan, name: SyntaxName, end: number): void {
  const outer = scan.end;
  scan.end = end;
  const parts = (SYNTAXES[name] as Syntax).parts;
  if (parts === "astro") readFrontMatter(scan);
  readText(scan, openersOf(parts === "php" ? "html" : name));
  scan.end = outer;
}

/** The main loop: white space passes, an opener's reader takes over, everything else is code. */
function readText(scan: Scan, openers: Openers): void {
  const { text, marks } = scan;
  while (scan.at < scan.end) {
    const unit = text.charCodeAt(scan.at);
    if (unit === 10) {
      if (scan.heredocs.length > 0) readHeredocBodies(scan);
      if (text.charCodeAt(scan.at) === 10) {
        scan.line++;
        scan.at++;
      }
      continue;
    }
    if (isSpace(unit)) {
      scan.at++;
      continue;
    }
    const readers = unit < 128 ? openers[unit] : undefined;
    if (readers?.some((reader) => reader(scan)) === true) continue;
    marks[scan.line] = (marks[scan.line] ?? 0) | CODE;
    scan.last = scan.at;
    scan.at++;
  }
}

function openersOf(name: SyntaxName): Openers {
  return compiled.getOrInsertComputed(name, () => compile(SYNTAXES[name]));
}

/** Builds the table from first character to readers; the order of the readers is the order of preference. */
function compile(syntax: Syntax): Openers {
  const table: Reader[][] = [];
  for (const [opener, reader] of readersOf(syntax)) {
    const unit = opener.charCodeAt(0);
    table[unit] = [...(table[unit] ?? []), reader];
  }
  if (syntax.parts === "php") table["?".charCodeAt(0)] = [closePhp];
  return table;
}

type Opener = readonly [opener: string, reader: Reader];

function readersOf(syntax: Syntax): Opener[] {
  const { special = [], block = [], line = [], long = [], quotes = "" } = syntax;
  const specials = special.filter((name) => name !== "regex").flatMap((name) => SPECIALS[name]);
  const nested = syntax.nested === true;
  return [
    ...specials,
    ...block.map(([open, close]): Opener => [open, blockComment(open, close, nested)]),
    ...line.map((open): Opener => [open, lineComment(open, syntax)]),
    ...(special.includes("regex") ? SPECIALS.regex : []),
    ...long.map(([open, close, escaping]): Opener => [open, longString(open, close, escaping)]),
    ...[...quotes].map((quote): Opener => [quote, (scan) => readOneLine(scan, quote)]),
    ...(syntax.parts === "html" || syntax.parts === "astro" ? [["<", readEmbedded] as const] : []),
  ];
}

function blockComment(open: string, close: string, nested: boolean): Reader {
  return (scan) => {
    if (!scan.text.startsWith(open, scan.at)) return false;
    let end = behind(scan, close, scan.at + open.length);
    if (nested) {
      let inner = scan.text.indexOf(open, scan.at + open.length);
      while (inner >= 0 && inner < end - close.length && end < scan.end) {
        end = behind(scan, close, end);
        inner = scan.text.indexOf(open, inner + open.length);
      }
    }
    consume(scan, end, COMMENT);
    return true;
  };
}

function lineComment(open: string, syntax: Syntax): Reader {
  const php = syntax.parts === "php";
  return (scan) => {
    if (!scan.text.startsWith(open, scan.at)) return false;
    if (syntax.lineAt === "first" && !isFirstOnLine(scan, scan.at)) return false;
    if (syntax.lineAt === "word" && scan.at > 0 && !/[\s;|&()]/.test(scan.text.charAt(scan.at - 1)))
      return false;
    if (php && open === "#" && scan.text.charAt(scan.at + 1) === "[") return false;
    let end = lineEnd(scan, scan.at);
    if (php) {
      const close = scan.text.slice(scan.at, end).indexOf("?>");
      if (close >= 0) end = scan.at + close;
    }
    consume(scan, end, COMMENT);
    return true;
  };
}

function longString(open: string, close: string, escaping: "backslash" | "none"): Reader {
  const find = escaping === "backslash" ? behindUnescaped : behind;
  return (scan) => {
    if (!scan.text.startsWith(open, scan.at)) return false;
    consume(scan, find(scan, close, scan.at + open.length), CODE);
    return true;
  };
}

/** Bounded, so that an element that never closes costs little. */
const SCRIPT_OR_STYLE = /<(script|style)\b((?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,1000})>/iy;

/** A script, a style sheet or PHP inside markup. */
function readEmbedded(scan: Scan): boolean {
  if (scan.text.startsWith("<?php", scan.at) || scan.text.startsWith("<?=", scan.at)) return readPhp(scan);
  SCRIPT_OR_STYLE.lastIndex = scan.at;
  const match = SCRIPT_OR_STYLE.exec(scan.text);
  if (match === null || SCRIPT_OR_STYLE.lastIndex > scan.end) return false;
  const [, element = "", attributes = ""] = match;
  consume(scan, SCRIPT_OR_STYLE.lastIndex, CODE);
  if (attributes.endsWith("/")) return true;
  const syntax = embeddedSyntax(element.toLowerCase(), attributes);
  if (syntax === undefined) return true;
  const close = new RegExp(`</${element}`, "gi");
  close.lastIndex = scan.at;
  readPart(scan, syntax, Math.min(scan.end, close.exec(scan.text)?.index ?? scan.end));
  resetState(scan);
  return true;
}

function embeddedSyntax(element: string, attributes: string): SyntaxName | undefined {
  if (element === "style")
    return /\blang=["']?(scss|sass|less|styl|postcss)/i.test(attributes) ? "scss" : "css";
  const type = /\btype=["']?([^"'\s>]+)/i.exec(attributes)?.[1];
  return type === undefined || /javascript|typescript|module|babel|ecmascript/i.test(type)
    ? "javascript"
    : undefined;
}

/** PHP between its tags; the closing tag ends even a line comment. */
function readPhp(scan: Scan): boolean {
  consume(scan, scan.at + 2, CODE);
  const outer = scan.end;
  readText(scan, openersOf("php"));
  scan.end = outer;
  resetState(scan);
  return true;
}

function closePhp(scan: Scan): boolean {
  if (!scan.text.startsWith("?>", scan.at)) return false;
  consume(scan, scan.at + 2, CODE);
  scan.end = scan.at;
  return true;
}

/** The code between the `---` lines that open an Astro file. */
function readFrontMatter(scan: Scan): void {
  const open = /^\s*---[ \t]*\r?\n/.exec(scan.text);
  if (open === null) return;
  consume(scan, open[0].length, CODE);
  const close = scan.text.indexOf("\n---", scan.at - 1);
  readPart(scan, "javascript", close < 0 ? scan.end : close + 1);
}

function resetState(scan: Scan): void {
  scan.depth = 0;
  scan.templates.length = 0;
  scan.heredocs.length = 0;
}
