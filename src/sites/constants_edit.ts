/**
 * Sets or unsets one key of the document and leaves every other character as it was, comments and layout included. The
 * result is parsed and judged before it is handed out, so an edit never makes a document that would not take effect.
 */

import { structuredPatch } from "diff";
import type { AST } from "toml-eslint-parser";
import { checkSize, parseConstants } from "./constants_parse.ts";
import { dottedKey, type KeyPath, namesOf, type Problem, quoted, readToml } from "./toml.ts";

/**
 * Sets the key at `path` (its tables' names, then its own), for example
 * `["assets", "trail", "flow_rules", "signups", "alpha"]`. Writes a table header when none fits.
 */
export function setOverride(text: string, path: KeyPath, value: number | string) {
  return edited(text, (tree) => {
    const pairs = pairsOf(tree);
    const parent = path.slice(0, -1);
    const same = pairs.find((pair) => equal(pair.path, path));
    if (same !== undefined) return [splice(text, same.node.value.range, encoded(value))];

    const pairFrom = (level: number) => `${dottedKey(path, level)} = ${encoded(value)}`;
    for (const { node, path: at } of pairs) {
      if (node.value.type !== "TOMLInlineTable" || !startsWith(parent, at)) continue;
      const last = node.value.body.at(-1);
      return [
        last === undefined
          ? splice(text, node.value.range, `{ ${pairFrom(at.length)} }`)
          : splice(text, [last.range[1], last.range[1]], `, ${pairFrom(at.length)}`),
      ];
    }

    const tables = tablesOf(tree);
    const own = tables.find((table) => equal(pathOf(table), parent));
    if (own !== undefined) return [lineAfter(text, endOf(own), pairFrom(parent.length))];

    // A table that dotted keys made can often be filled only where they stand: TOML refuses a header for it.
    const dotted = pairs.findLast(
      ({ holder, holderPath, path: at }) =>
        holder.type !== "TOMLInlineTable" &&
        startsWith(parent, holderPath) &&
        commonLength(at.slice(0, -1), parent) > holderPath.length,
    );
    const near = nearest(tables, path);
    const at = near === undefined ? text.length : endOf(near);
    const gap = text.trim() === "" ? [] : [""];
    const headed = lineAfter(text, at, ...gap, `[${dottedKey(parent)}]`, pairFrom(parent.length));
    if (dotted === undefined) return [headed];
    return [lineAfter(text, dotted.node.range[1], pairFrom(dotted.holderPath.length)), headed];
  });
}

/** Takes the key at `path` out with its line, and its table's header when nothing is left under it. */
export function unsetOverride(text: string, path: KeyPath) {
  return edited(text, (tree) => {
    const pair = pairsOf(tree).find((one) => equal(one.path, path));
    if (pair === undefined) return [text];
    const { node, holder } = pair;
    if (holder.type === "TOMLInlineTable") {
      const at = holder.body.indexOf(node);
      const before = holder.body[at - 1];
      const after = holder.body[at + 1];
      if (before !== undefined) return [splice(text, [before.range[1], node.range[1]], "")];
      return [splice(text, [node.range[0], after?.range[0] ?? node.range[1]], "")];
    }
    const lines = wholeLines(text, node.range);
    const left = splice(text, lines, "");
    if (holder.type !== "TOMLTable" || holder.body.length > 1) return [left];
    const header = wholeLines(text, holder.key.range);
    const between = text.slice(header[1], lines[0]);
    if (between.trim() !== "" || text.slice(holder.key.range[1], header[1]).includes("#")) return [left];
    const blank = /(?<=\n)\r?\n$/.exec(text.slice(Math.max(0, header[0] - 3), header[0]))?.[0].length ?? 0;
    return [splice(text, [header[0] - blank, lines[1]], "")];
  });
}

/** What stays of a document whose last key was taken out: an empty one is a mistake. */
const ALL_DEFAULTS = "# Every threshold has its default.\n";

type Tree = Parameters<typeof pairsOf>[0];

/** The first of the texts that `change` offers which would take effect; the problems of the first when none would. */
function edited(text: string, change: (tree: Tree) => readonly string[]) {
  const size = checkSize(text);
  if (size !== undefined) return { ok: false, problems: [size] } as const;
  const read = readToml(text);
  if (!read.ok) return read;
  let problems: readonly Problem[] | undefined;
  for (const after of change(read.document.program)) {
    const left = after.trim() === "" ? ALL_DEFAULTS : after;
    const judged = parseConstants(left);
    if (judged.ok) return { ok: true, text: left } as const;
    problems ??= judged.problems;
  }
  return { ok: false, problems: problems ?? [] } as const;
}

function equal(a: KeyPath, b: KeyPath): boolean {
  return a.length === b.length && commonLength(a, b) === a.length;
}

/** The last table that shares the most names with `path`, so that the overrides of a site stay together. */
function nearest<T extends Parameters<typeof pathOf>[0]>(tables: readonly T[], path: KeyPath): T | undefined {
  let best: T | undefined;
  let most = 1;
  for (const table of tables) {
    const shared = commonLength(pathOf(table), path);
    if (shared >= most && shared > 1) {
      best = table;
      most = shared;
    }
  }
  return best;
}

function endOf(table: Parameters<typeof pathOf>[0]): number {
  return table.body.at(-1)?.range[1] ?? table.key.range[1];
}

/** Puts whole lines after the line that holds the character before `index`, in the text's own line ends. */
function lineAfter(text: string, index: number, ...lines: readonly string[]): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const found = index === text.length ? -1 : text.indexOf("\n", index);
  const at = found < 0 ? text.length : found + 1;
  const before = text.slice(0, at);
  const gap = before === "" || before.endsWith("\n") ? "" : lineEnd;
  return before + gap + lines.map((line) => line + lineEnd).join("") + text.slice(at);
}

function wholeLines(text: string, range: readonly [number, number]): [number, number] {
  const start = text.lastIndexOf("\n", range[0] - 1) + 1;
  const found = text.indexOf("\n", range[1]);
  return [range[0] === 0 ? 0 : start, found < 0 ? text.length : found + 1];
}

function splice(text: string, [start, end]: readonly [number, number], by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

/** A number as TOML writes it, `nan` and `inf` among them. */
const encoded = (value: number | string): string =>
  typeof value === "string" ? quoted(value) : String(value).toLowerCase().replace("infinity", "inf");

/** A table that holds `key = value` pairs. */
type Holder = AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable;

/** A pair with the full path of its key and of the table it is written in. */
interface Pair {
  readonly node: AST.TOMLKeyValue;
  readonly path: KeyPath;
  readonly holder: Holder;
  readonly holderPath: KeyPath;
}

/** Every pair of the document, those of inline tables too. */
function pairsOf(program: AST.TOMLProgram): Pair[] {
  const pairs: Pair[] = [];
  const top = program.body[0];
  collect(top, [], pairs);
  for (const table of tablesOf(program)) collect(table, pathOf(table), pairs);
  return pairs;
}

function collect(holder: Holder, holderPath: KeyPath, pairs: Pair[]): void {
  for (const node of holder.body) {
    if (node.type !== "TOMLKeyValue") continue;
    const path = [...holderPath, ...namesOf(node.key)];
    pairs.push({ node, path, holder, holderPath });
    if (node.value.type === "TOMLInlineTable") collect(node.value, path, pairs);
  }
}

/** The tables with a header, in the order of the text. */
function tablesOf(program: AST.TOMLProgram): AST.TOMLTable[] {
  return program.body[0].body.filter((node) => node.type === "TOMLTable");
}

/** The path of a table's header. */
function pathOf(table: AST.TOMLTable): KeyPath {
  return table.resolvedKey.map(String);
}

/** Whether `path` begins with all of `start`. */
function startsWith(path: KeyPath, start: KeyPath): boolean {
  return start.length <= path.length && commonLength(path, start) === start.length;
}

/** How many names two paths share from their start. */
function commonLength(a: KeyPath, b: KeyPath): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

// What a change of the document changes, line by line, to show before it is saved.

/** One line of a difference. */
export interface DifferenceLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Changed lines with the unchanged ones around them. */
export interface DifferenceHunk {
  /** Number of the first line in the text before, from 1. */
  readonly beforeLine: number;
  /** Number of the first line in the text after, from 1. */
  readonly afterLine: number;
  readonly lines: readonly DifferenceLine[];
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Beyond this many changed lines the texts have little in common; looking on would take seconds. */
const MAX_EDITS = 1_000;

const KINDS = { " ": "same", "+": "added", "-": "removed" } as const;

/** The difference of two texts; empty when no line differs. Line ends alone (CRLF) are no difference. */
export function lineDifference(before: string, after: string): readonly DifferenceHunk[] {
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS, stripTrailingCr: true } as const;
  const patch = structuredPatch("", "", before, after, "", "", options);
  if (patch === undefined) return [wholeChange(before, after)];
  return patch.hunks.map((hunk) => ({
    beforeLine: hunk.oldStart,
    afterLine: hunk.newStart,
    lines: hunk.lines.flatMap((line) => {
      const mark = line.charAt(0);
      return mark === " " || mark === "+" || mark === "-" ? [{ kind: KINDS[mark], text: line.slice(1) }] : [];
    }),
  }));
}

function wholeChange(before: string, after: string): DifferenceHunk {
  return {
    beforeLine: 1,
    afterLine: 1,
    lines: [
      ...linesOf(before).map((text) => ({ kind: "removed", text }) as const),
      ...linesOf(after).map((text) => ({ kind: "added", text }) as const),
    ],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
