/** Where a key stands in the syntax tree, and where a new one would belong. */
import type { AST } from "toml-eslint-parser";
import type { KeyPath } from "./key_path.ts";
import { namesOf } from "./toml.ts";

/** A table that holds `key = value` pairs. */
export type Holder = AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable;

/** A pair with the full path of its key and of the table it is written in. */
export interface Pair {
  readonly node: AST.TOMLKeyValue;
  readonly path: KeyPath;
  readonly holder: Holder;
  readonly holderPath: KeyPath;
}

/** Every pair of the document, those of inline tables too. */
export function pairsOf(program: AST.TOMLProgram): Pair[] {
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
export function tablesOf(program: AST.TOMLProgram): AST.TOMLTable[] {
  return program.body[0].body.filter((node) => node.type === "TOMLTable");
}

/** The path of a table's header. */
export function pathOf(table: AST.TOMLTable): KeyPath {
  return table.resolvedKey.map(String);
}

/** Whether `path` begins with all of `start`. */
export function startsWith(path: KeyPath, start: KeyPath): boolean {
  return start.length <= path.length && commonLength(path, start) === start.length;
}

/** How many names two paths share from their start. */
export function commonLength(a: KeyPath, b: KeyPath): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
