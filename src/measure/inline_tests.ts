/** Rust keeps unit tests in the file they test, below `#[cfg(test)]`: which lines those items take. */
import type { LineRange, Scan, TestItem } from "./scan.ts";

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

function open(scan: Scan): boolean {
  scan.depth++;
  return false;
}

function openBody(scan: Scan): boolean {
  const { item } = scan.tests;
  if (item?.depth === scan.depth) item.open = true;
  return open(scan);
}

function close(scan: Scan): boolean {
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
