/** What the findings of two reports have and have not in common: plain facts, no judgement. */

import { toolVersion } from "./codebase_rules.ts";
import { BOUNDS, type CodebaseReport, type MeasureKey } from "./measures.ts";

type Findings = NonNullable<CodebaseReport["findings"]>;
export type Duplicate = NonNullable<Findings["duplicates"]>[number];
export type ComplexFunction = NonNullable<Findings["complexFunctions"]>[number];
export type Unused = NonNullable<Findings["unused"]>[number];

/** Items only the latest report lists, and items only the comparison report lists. */
export interface ListDifference<T> {
  readonly fresh: readonly T[];
  readonly gone: readonly T[];
  /** A list was full, so an item may be missing for want of room and not because it went. */
  readonly cut: boolean;
  /** What is listed is held against each other by its file alone, each file once. */
  readonly byFile?: true;
  readonly tools: ToolsOfBoth;
}

/** Whether one version of a tool made both lists; `unknown` where only one of the reports names the tool. */
export type ToolsOfBoth = "same" | "updated" | "unknown";

export interface FindingsDifference {
  /** Null when one of the two reports left the list out. */
  readonly duplicates: ListDifference<Duplicate> | null;
  readonly complexFunctions: ListDifference<ComplexFunction> | null;
  readonly unused: ListDifference<Unused> | null;
}

/** The files of a repeated block, whatever the order. Line numbers move with every edit, so they do not count. */
function blockKey(block: Duplicate): string {
  return JSON.stringify(block.files.map((file) => file.path).sort());
}

function functionKey(found: ComplexFunction): string {
  return JSON.stringify([found.path, found.name]);
}

/** What is unused, by kind, path and name: its line moves with every edit. */
function unusedKey(found: Unused): string {
  return JSON.stringify([found.kind, found.path, found.name ?? ""]);
}

/** Items of `list` left over when each item of `other` has cancelled one with the same key. */
function withoutThoseIn<T>(list: readonly T[], other: readonly T[], keyOf: (item: T) => string): T[] {
  const counts = new Map<string, number>();
  for (const item of other) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return list.filter((item) => {
    const count = counts.get(keyOf(item)) ?? 0;
    if (count > 0) counts.set(keyOf(item), count - 1);
    return count === 0;
  });
}

function listDifference<T>(
  latest: readonly T[] | undefined,
  before: readonly T[] | undefined,
  keyOf: (item: T) => string,
  bound: number,
): Omit<ListDifference<T>, "tools"> | null {
  if (latest === undefined || before === undefined) return null;
  return {
    fresh: withoutThoseIn(latest, before, keyOf),
    gone: withoutThoseIn(before, latest, keyOf),
    cut: latest.length >= bound || before.length >= bound,
  };
}

/** Older reports name only the file of an unused export, once however many it has: then files are what can be compared. */
function unusedDifference(
  latest: readonly Unused[] | undefined,
  before: readonly Unused[] | undefined,
): Omit<ListDifference<Unused>, "tools"> | null {
  const everyItem = [...(latest ?? []), ...(before ?? [])];
  const isNamed = everyItem.every(({ kind, name }) => kind !== "export" || name !== undefined);
  if (isNamed) return listDifference(latest, before, unusedKey, BOUNDS.unused);
  const difference = listDifference(filesOf(latest), filesOf(before), unusedKey, BOUNDS.unused);
  const cut = [latest, before].some((list) => list !== undefined && list.length >= BOUNDS.unused);
  return difference === null ? null : { ...difference, cut, byFile: true };
}

function filesOf(list: readonly Unused[] | undefined): readonly Unused[] | undefined {
  return list === undefined
    ? undefined
    : [...new Map(list.map(({ kind, path }) => [unusedKey({ kind, path }), { kind, path }])).values()];
}

function toolsOfBoth(latest: CodebaseReport, before: CodebaseReport, key: MeasureKey): ToolsOfBoth {
  const [now, then] = [toolVersion(latest.tools, key), toolVersion(before.tools, key)];
  if (now === then) return "same";
  return now === undefined || then === undefined ? "unknown" : "updated";
}

/** Compares the findings of the latest report with those of the comparison report. */
export function findingsDifference(latest: CodebaseReport, before: CodebaseReport): FindingsDifference {
  const [now, then] = [latest.findings, before.findings];
  const made = <T>(by: MeasureKey, difference: Omit<ListDifference<T>, "tools"> | null) =>
    difference === null ? null : { ...difference, tools: toolsOfBoth(latest, before, by) };
  return {
    duplicates: made(
      "duplicate_blocks",
      listDifference(now?.duplicates, then?.duplicates, blockKey, BOUNDS.duplicates),
    ),
    complexFunctions: made(
      "complex_functions",
      listDifference(now?.complexFunctions, then?.complexFunctions, functionKey, BOUNDS.complexFunctions),
    ),
    unused: made("unused_files", unusedDifference(now?.unused, then?.unused)),
  };
}
