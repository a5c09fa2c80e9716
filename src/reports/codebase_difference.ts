/** Which findings of the latest report the comparison report does not list: plain facts, no judgement. */

import { toolVersion } from "./codebase_rules.ts";
import type { CodebaseReport, MeasureKey } from "./measures.ts";

type Findings = NonNullable<CodebaseReport["findings"]>;
export type Duplicate = NonNullable<Findings["duplicates"]>[number];
type ComplexFunction = NonNullable<Findings["complexFunctions"]>[number];
type Unused = NonNullable<Findings["unused"]>[number];

/** The files of a repeated block, whatever the order. Line numbers move with every edit, so they do not count, here and below. */
const blockKey = (block: Duplicate) => JSON.stringify(block.files.map((file) => file.path).sort());
const functionKey = (found: ComplexFunction) => JSON.stringify([found.path, found.name]);
const unusedKey = (found: Unused) => JSON.stringify([found.kind, found.path, found.name ?? ""]);

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

/** Items only the latest report lists; null where one report left the list out, or not one version of a tool made both. */
export type NewFindings = ReturnType<typeof newFindings>;

/** Holds the findings of the latest report against those of the comparison report. */
export function newFindings(latest: CodebaseReport, before: CodebaseReport) {
  const [now, then] = [latest.findings, before.findings];
  const fresh = <T>(
    by: MeasureKey,
    list: readonly T[] | undefined,
    other: readonly T[] | undefined,
    keyOf: (item: T) => string,
  ) =>
    list === undefined ||
    other === undefined ||
    toolVersion(latest.tools, by) !== toolVersion(before.tools, by)
      ? null
      : withoutThoseIn(list, other, keyOf);
  return {
    duplicates: fresh("duplicate_blocks", now?.duplicates, then?.duplicates, blockKey),
    complexFunctions: fresh("complex_functions", now?.complexFunctions, then?.complexFunctions, functionKey),
    unused: fresh("unused_files", now?.unused, then?.unused, unusedKey),
  };
}
