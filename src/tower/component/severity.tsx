import { formatCount } from "../format.ts";
import { Glyph } from "./glyph.tsx";
import { Unseen } from "./text.tsx";

/** The severities of a flag, worst first. */
export const SEVERITIES = ["error", "warn", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Open flags of a site by severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** A pennant with its word. */
export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return (
    <span class="sev" data-sev={severity}>
      <Glyph name={`f-${severity}`} />
      {severity}
    </span>
  );
}

/** One pennant with a count for each severity that has any; a plain 0 when none has. */
export function SeverityTally({ counts }: { readonly counts: SeverityCounts }) {
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (present.length === 0) return <span class="dim">0</span>;
  return (
    <span class="sevs">
      {present.map((severity) => (
        <span class="sev" data-sev={severity} title={`${formatCount(counts[severity])} ${severity}`}>
          <Glyph name={`f-${severity}`} />
          {formatCount(counts[severity])}
          <Unseen> {severity}</Unseen>
        </span>
      ))}
    </span>
  );
}
