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

/** The open flags by severity, and how many more are put away for a while. */
export function OpenAndSnoozed(props: { readonly counts: SeverityCounts; readonly snoozed: number }) {
  const { counts, snoozed } = props;
  return (
    <span class="row">
      <SeverityTally counts={counts} />
      {snoozed === 0 ? null : <small class="dim nowrap">{formatCount(snoozed)} snoozed</small>}
    </span>
  );
}

/** How many flags are put away, at the end of words that told how many are open. */
export function snoozedWords(snoozed: number, open: number): string {
  if (snoozed === 0) return "";
  return `, ${formatCount(snoozed)}${open === 0 ? "" : " more"} ${snoozed === 1 ? "is" : "are"} snoozed`;
}
