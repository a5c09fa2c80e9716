/** What the findings of two reports have and have not in common: plain facts, no judgement. */
import { BOUNDS, type CodebaseReport } from "./contract.ts";

type Findings = NonNullable<CodebaseReport["findings"]>;
export type Duplicate = NonNullable<Findings["duplicates"]>[number];
export type ComplexFunction = NonNullable<Findings["complexFunctions"]>[number];

/** Items only the latest report lists, and items only the comparison report lists. */
export interface ListDifference<T> {
  readonly fresh: readonly T[];
  readonly gone: readonly T[];
  /** A list was full, so an item may be missing for want of room and not because it went. */
  readonly cut: boolean;
}

export interface FindingsDifference {
  /** Null when one of the two reports left the list out. */
  readonly duplicates: ListDifference<Duplicate> | null;
  readonly complexFunctions: ListDifference<ComplexFunction> | null;
}

/** The files of a repeated block, whatever the order. Line numbers move with every edit, so they do not count. */
function blockKey(block: Duplicate): string {
  return JSON.stringify(block.files.map((file) => file.path).sort());
}

function functionKey(found: ComplexFunction): string {
  return JSON.stringify([found.path, found.name]);
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
): ListDifference<T> | null {
  if (latest === undefined || before === undefined) return null;
  return {
    fresh: withoutThoseIn(latest, before, keyOf),
    gone: withoutThoseIn(before, latest, keyOf),
    cut: latest.length >= bound || before.length >= bound,
  };
}

/** Compares the findings of the latest report with those of the comparison report. */
export function findingsDifference(latest: CodebaseReport, before: CodebaseReport): FindingsDifference {
  const [now, then] = [latest.findings, before.findings];
  return {
    duplicates: listDifference(now?.duplicates, then?.duplicates, blockKey, BOUNDS.duplicates),
    complexFunctions: listDifference(
      now?.complexFunctions,
      then?.complexFunctions,
      functionKey,
      BOUNDS.complexFunctions,
    ),
  };
}
