/** Readers of the constructs that need more than an opener and a closer. Each consumes and says so, or declines. */

import {
  behind,
  behindUnescaped,
  CODE,
  COMMENT,
  close,
  consume,
  INLINE_TESTS,
  isFirstOnLine,
  isSpace,
  isWord,
  lineEnd,
  open,
  type Scan,
} from "./scan.ts";
import type { SpecialName } from "./syntax.ts";

// C keeps unit tests in the file they test, between `#ifdef …_TEST` and its `#endif`: which lines they take.

const DIRECTIVE =
  /#[ \t]{0,20}(if|ifdef|ifndef|elif|else|endif)\b[ \t]{0,20}(?:defined[ \t]{0,5}\(?[ \t]{0,5})?(\w{0,100})[ \t)]{0,20}(.?)/y;
const TESTS = new Set(["TEST", "TESTS", "UNITTEST", "UNITTESTS", "SELFTEST"]);
/** What is there, or not, when tests are. */
const OTHERS = new Set(["NO", "NOT", "DISABLE", "DISABLED", "WITHOUT", "HAVE", "HAS"]);

/** Notes where tests begin and end; consumes nothing, since directives are code like any other. */
function readDirective(scan: Scan): boolean {
  if (!isFirstOnLine(scan, scan.at)) return false;
  DIRECTIVE.lastIndex = scan.at;
  const [, word, name = "", behind = ""] = DIRECTIVE.exec(scan.text) ?? [];
  if (word === undefined) return false;
  const { branch } = scan.tests;
  if (branch === undefined) {
    if ((word === "if" || word === "ifdef") && isTest(name, behind))
      scan.tests.branch = { from: scan.line + 1, nested: 0 };
  } else if (word.startsWith("if")) branch.nested++;
  else if (branch.nested > 0) branch.nested -= word === "endif" ? 1 : 0;
  else {
    scan.tests.ranges.push({ from: branch.from, to: word === "endif" ? scan.line + 1 : scan.line });
    scan.tests.branch = undefined;
  }
  return false;
}

/** One name alone: what stands for tests or for something else is built for others as well. */
function isTest(name: string, behind: string): boolean {
  const words = name.split("_");
  return (
    !/[&|]/.test(behind) && words.some((word) => TESTS.has(word)) && !words.some((word) => OTHERS.has(word))
  );
}

/** Reads at `scan.at`; false when the construct is not there. */
export type Reader = (scan: Scan) => boolean;

/** The characters at which a special construct can start, with its reader. */
export const SPECIALS: Readonly<Record<SpecialName, readonly (readonly [string, Reader])[]>> = {
  template: [
    ["`", readTemplate],
    ["{", open],
    ["}", closeBrace],
  ],
  regex: [["/", readRegex]],
  "python-string": [
    ['"', readPythonString],
    ["'", readPythonString],
    ["(", open],
    ["[", open],
    ["{", open],
    [")", close],
    ["]", close],
    ["}", close],
  ],
  "inline-tests": INLINE_TESTS,
  "c-tests": [["#", readDirective]],
  "rust-string": [['"', readRustRaw]],
  "cpp-raw": [['"', readCppRaw]],
  verbatim: [['"', readVerbatim]],
  char: [["'", readChar]],
  "lua-long": [
    ["-", (scan) => readLuaLong(scan, /--\[(=*)\[/y, COMMENT)],
    ["[", (scan) => readLuaLong(scan, /\[(=*)\[/y, CODE)],
  ],
  "heredoc-word": [["<", (scan) => readHeredoc(scan, /<<[-~]?[ \t]*\\?(['"]?)([A-Za-z_]\w*)\1/y)]],
  "heredoc-upper": [["<", (scan) => readHeredoc(scan, /<<[-~]?(?:(["'`])(\w+)\1|([A-Z_]\w*))/y)]],
  "heredoc-php": [["<", (scan) => readHeredoc(scan, /<<<[ \t]*(['"]?)([A-Za-z_]\w*)\1/y)]],
  pod: [["=", (scan) => readLineBlock(scan, /=[a-z]\w*/y, /^=cut\b/gm)]],
  "begin-end": [["=", (scan) => readLineBlock(scan, /=begin\b/y, /^=end\b/gm)]],
  "elixir-doc": [["@", readElixirDoc]],
  "template-comment": [["{", readTemplateComment]],
  escapes: [["\\", readEscape]],
};

function readTemplate(scan: Scan): boolean {
  consume(scan, scan.at + 1, CODE);
  return readTemplateText(scan);
}

/** Template text up to its closing backtick, or up to a `${` whose code the main loop reads. */
function readTemplateText(scan: Scan): boolean {
  for (let at = scan.at; at < scan.end; at++) {
    const unit = scan.text.charCodeAt(at);
    if (unit === 0x5c) at++;
    else if (unit === 0x60) {
      consume(scan, at + 1, CODE);
      return true;
    } else if (unit === 0x24 && scan.text.charCodeAt(at + 1) === 0x7b) {
      consume(scan, at + 2, CODE);
      scan.templates.push(scan.depth);
      return true;
    }
  }
  consume(scan, scan.end, CODE);
  return true;
}

function closeBrace(scan: Scan): boolean {
  if (scan.templates.at(-1) !== scan.depth) return close(scan);
  consume(scan, scan.at + 1, CODE);
  scan.templates.pop();
  return readTemplateText(scan);
}

const BEFORE_REGEX = new Set(
  "return typeof case in of delete void throw new do else instanceof yield await default extends".split(" "),
);

/** Longest pattern, so that a line full of slashes costs little. */
const MAX_REGEX = 1_000;

function readRegex(scan: Scan): boolean {
  if (!canStartRegex(scan)) return false;
  let inClass = false;
  const end = Math.min(scan.end, scan.at + MAX_REGEX);
  for (let at = scan.at + 1; at < end; at++) {
    const unit = scan.text.charCodeAt(at);
    if (unit === 10) return false;
    if (unit === 0x5c) at++;
    else if (unit === 0x5b) inClass = true;
    else if (unit === 0x5d) inClass = false;
    else if (unit === 0x2f && !inClass) {
      consume(scan, at + 1, CODE);
      return true;
    }
  }
  return false;
}

/** A slash divides behind a value and starts a pattern behind an operator; JSX's `</` and `/>` do neither. */
function canStartRegex(scan: Scan): boolean {
  const { text, last } = scan;
  if (last < 0) return true;
  const unit = text.charCodeAt(last);
  if (text.charAt(scan.at - 1) === "<") return false;
  if ((unit === 0x7d || unit === 0x3e) && text.charAt(scan.at + 1) === ">") return false;
  if (isWord(unit)) {
    let start = last;
    while (start > 0 && isWord(text.charCodeAt(start - 1))) start--;
    return BEFORE_REGEX.has(text.slice(start, last + 1));
  }
  if (unit === 0x7d) return isFirstOnLine(scan, scan.at);
  return !")]\"'`".includes(text.charAt(last));
}

/** A triple-quoted string that starts a statement is a docstring, and a docstring is a comment. */
function readPythonString(scan: Scan): boolean {
  const { text, at } = scan;
  const quote = text.charAt(at);
  if (!text.startsWith(quote.repeat(3), at)) return readOneLine(scan, quote);
  const docstring = scan.depth === 0 && startsStatement(scan);
  if (docstring) scan.marks[scan.line] = 0;
  consume(scan, behindUnescaped(scan, quote.repeat(3), at + 3), docstring ? COMMENT : CODE);
  return true;
}

const ELIXIR_DOC = /@(?:module|type)?doc[ \t]+(?:~[sS])?("""|''')/y;

/** Documentation of Elixir is a text behind an attribute, and a comment as a docstring is. */
function readElixirDoc(scan: Scan): boolean {
  ELIXIR_DOC.lastIndex = scan.at;
  const close = ELIXIR_DOC.exec(scan.text)?.[1];
  if (close === undefined) return false;
  consume(scan, behindUnescaped(scan, close, ELIXIR_DOC.lastIndex), COMMENT);
  return true;
}

const TEMPLATE_COMMENT = /\{%-?\s*comment\b|\{\{-?\s*\/\*|\{#/y;

/** The comments that template languages put into HTML. Django's `{# #}` is one line: `{#if` of Svelte has no end there. */
function readTemplateComment(scan: Scan): boolean {
  TEMPLATE_COMMENT.lastIndex = scan.at;
  const open = TEMPLATE_COMMENT.exec(scan.text)?.[0];
  if (open === undefined) return false;
  const close = open === "{#" ? "#}" : open.endsWith("*") ? "*/" : "endcomment";
  let end = behind(scan, close, scan.at + open.length);
  if (close === "#}" && (end > lineEnd(scan, scan.at) || !scan.text.startsWith(close, end - 2))) return false;
  if (close === "*/" && !/^\s*-?\}\}/.test(scan.text.slice(end, end + 10))) return false;
  if (close !== "#}") end = behind(scan, close === "*/" ? "}}" : "%}", end);
  consume(scan, end, COMMENT);
  return true;
}

/** Whether only a string prefix stands before `scan.at` on its line, and the line before is not continued. */
function startsStatement(scan: Scan): boolean {
  let at = scan.at;
  while (scan.at - at < 2 && /[rRuUbBfF]/.test(scan.text.charAt(at - 1))) at--;
  while (at > 0 && isSpace(scan.text.charCodeAt(at - 1)) && scan.text.charCodeAt(at - 1) !== 10) at--;
  return at === 0 || (scan.text.charCodeAt(at - 1) === 10 && scan.text.charCodeAt(at - 2) !== 0x5c);
}

/** A string that ends with its line unless a backslash stands before the newline. Unterminated: only the quote. */
export function readOneLine(scan: Scan, quote: string): boolean {
  const close = quote.charCodeAt(0);
  let at = scan.at < (scan.unterminated[close] ?? 0) ? scan.end : scan.at + 1;
  for (; at < scan.end; at++) {
    const unit = scan.text.charCodeAt(at);
    if (unit === close) {
      consume(scan, at + 1, CODE);
      return true;
    }
    if (unit === 0x5c) at += scan.text.charCodeAt(at + 1) === 13 ? 2 : 1;
    else if (unit === 10) break;
  }
  if (scan.at >= (scan.unterminated[close] ?? 0)) scan.unterminated[close] = at;
  consume(scan, scan.at + 1, CODE);
  return true;
}

function readRustRaw(scan: Scan): boolean {
  let hash = scan.at;
  while (scan.text.charCodeAt(hash - 1) === 0x23) hash--;
  const prefix = /(?:^|[^\w])(?:b|c)?r$/.test(scan.text.slice(Math.max(0, hash - 3), hash));
  if (!prefix) return false;
  consume(scan, behind(scan, `"${"#".repeat(scan.at - hash)}`, scan.at + 1), CODE);
  return true;
}

function readCppRaw(scan: Scan): boolean {
  if (!/(?:^|[^\w])(?:u8|[uUL])?R$/.test(scan.text.slice(Math.max(0, scan.at - 4), scan.at))) return false;
  const open = /"([^\s()\\"]{0,16})\(/y;
  open.lastIndex = scan.at;
  const match = open.exec(scan.text);
  if (match === null) return false;
  consume(scan, behind(scan, `)${match[1]}"`, open.lastIndex), CODE);
  return true;
}

function readVerbatim(scan: Scan): boolean {
  if (!/@\$?$/.test(scan.text.slice(Math.max(0, scan.at - 2), scan.at))) return false;
  let end = behind(scan, '"', scan.at + 1);
  while (scan.text.charCodeAt(end) === 0x22) end = behind(scan, '"', end + 1);
  consume(scan, end, CODE);
  return true;
}

function readChar(scan: Scan): boolean {
  const literal = /'(?:\\[^\n]{1,10}?|[^'\\\n])'/uy;
  literal.lastIndex = scan.at;
  consume(scan, literal.test(scan.text) ? literal.lastIndex : scan.at + 1, CODE);
  return true;
}

function readLuaLong(scan: Scan, open: RegExp, mark: number): boolean {
  open.lastIndex = scan.at;
  const match = open.exec(scan.text);
  if (match === null) return false;
  consume(scan, behind(scan, `]${match[1]}]`, open.lastIndex), mark);
  return true;
}

/** Notes a here-document whose closing word stands on a line of its own further down. */
function readHeredoc(scan: Scan, open: RegExp): boolean {
  if (scan.text.charAt(scan.at - 1) === "<") return false;
  open.lastIndex = scan.at;
  const match = open.exec(scan.text);
  const word = match?.[2] ?? match?.[3];
  if (word === undefined) return false;
  scan.heredocs.push(word);
  consume(scan, open.lastIndex, CODE);
  return true;
}

/** After this many openers without a closing word a file holds no here-documents, whatever it looks like. */
const MAX_UNCLOSED = 50;

/** Consumes the here-documents that start behind the newline at `scan.at`. One that never closes is none. */
export function readHeredocBodies(scan: Scan): void {
  for (const word of scan.heredocs.splice(0)) {
    if (scan.unclosed > MAX_UNCLOSED) return;
    const close = new RegExp(`\\n[ \\t]*${word}\\b`, "g");
    close.lastIndex = scan.at;
    const match = close.exec(scan.text);
    if (match !== null && close.lastIndex <= scan.end) consume(scan, close.lastIndex, CODE);
    else scan.unclosed++;
  }
}

function readLineBlock(scan: Scan, open: RegExp, close: RegExp): boolean {
  if (scan.at > 0 && scan.text.charCodeAt(scan.at - 1) !== 10) return false;
  open.lastIndex = scan.at;
  if (!open.test(scan.text)) return false;
  close.lastIndex = scan.at;
  const match = close.exec(scan.text);
  consume(scan, match === null ? scan.end : lineEnd(scan, match.index), COMMENT);
  return true;
}

function readEscape(scan: Scan): boolean {
  consume(scan, scan.at + 2, CODE);
  return true;
}
