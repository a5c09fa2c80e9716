import type { Pulse } from "./contract.ts";

/**
 * A milestone is always info (spec, Flag). One that was sent with another severity is kept as info rather than costing the site
 * its whole report, and the answer names the severity among what was ignored.
 */
export function milestonesAsInfo(report: Pulse): {
  readonly report: Pulse;
  /** JSON Pointers to the severities that were not kept. */
  readonly ignored: readonly string[];
} {
  const ignored = (report.flags ?? []).flatMap(({ kind, severity }, index) =>
    kind === "milestone" && severity !== "info" ? [`/flags/${index}/severity`] : [],
  );
  if (report.flags === undefined || ignored.length === 0) return { report, ignored };
  const flags = report.flags.map((flag) =>
    flag.kind === "milestone" ? { ...flag, severity: "info" as const } : flag,
  );
  return { report: { ...report, flags }, ignored };
}
