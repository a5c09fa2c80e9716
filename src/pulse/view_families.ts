/** Metric families a site says it measures, against what its latest report holds (decisions, Metric families). Pure. */

/** Who says that the site measures the family. */
export type FamilySource = "settings" | "report" | "both";

/** `reported` has a metric in the report, `missing` is declared without one, `undeclared` has metrics nobody announced. */
export type FamilyState =
  | {
      readonly family: string;
      readonly state: "reported";
      readonly source: FamilySource;
      readonly metrics: number;
    }
  | { readonly family: string; readonly state: "missing"; readonly source: FamilySource }
  | { readonly family: string; readonly state: "undeclared"; readonly metrics: number };

/** The family a metric belongs to: the declared one that bears its name, else the part before its first dot. */
function familyOf(metric: string, declared: ReadonlySet<string>): string {
  const dot = metric.indexOf(".");
  return declared.has(metric) || dot < 0 ? metric : metric.slice(0, dot);
}

/**
 * Declared families first, those missing before the others, then families of metrics that nobody declared. Where nothing is
 * declared at all there is nothing to hold the report against, and the list is empty.
 */
export function familyStates(input: {
  /** Declared on the site's settings page. */
  readonly settings: readonly string[];
  /** The report's own `capabilities`; undefined where it named none. */
  readonly capabilities: readonly string[] | undefined;
  /** Names of the metrics in the report. */
  readonly metrics: readonly string[];
}): FamilyState[] {
  const settings = new Set(input.settings);
  const capabilities = new Set(input.capabilities ?? []);
  const declared = settings.union(capabilities);
  if (declared.size === 0) return [];
  const counts = new Map<string, number>();
  for (const metric of input.metrics) {
    const family = familyOf(metric, declared);
    counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  const missing: FamilyState[] = [];
  const reported: FamilyState[] = [];
  for (const family of [...declared].sort()) {
    const source = sourceOf(settings.has(family), capabilities.has(family));
    const metrics = counts.get(family);
    if (metrics === undefined) missing.push({ family, state: "missing", source });
    else reported.push({ family, state: "reported", source, metrics });
  }
  const undeclared = [...counts]
    .filter(([family]) => !declared.has(family))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([family, metrics]) => ({ family, state: "undeclared", metrics }) as const);
  return [...missing, ...reported, ...undeclared];
}

function sourceOf(settings: boolean, report: boolean): FamilySource {
  if (settings && report) return "both";
  return settings ? "settings" : "report";
}
