/** What is kept of each report of a site, how it stands, and what it is held against. Pure. */
import { type Coverage, coverageOf, type Earlier, earlierRows, type StoredInsight } from "../insights/mod.ts";
import type { ReportFamily } from "../provider/report/contract.ts";
import type { SeriesState } from "../series/mod.ts";
import type { ArchiveNote, ManifestRow } from "./contract.ts";

/** A report that is kept, with the row of the manifest that its figures are from. */
export interface KeptReport {
  readonly insight: StoredInsight;
  /** The latest attempt that came to what it says. */
  readonly manifest: number;
  readonly notes: readonly ArchiveNote[];
}

/** What is told of one report of a site. */
export interface InsightReport {
  readonly family: ReportFamily;
  /** The provider's own id of the property that all of it is of; undefined where nothing was ever tried. */
  readonly property: string | undefined;
  /** The newest report that could be read, whatever came of later attempts; one without rows is a valid zero. */
  readonly shown: KeptReport | undefined;
  /** Whether what is shown may still change. */
  readonly isProvisional: boolean;
  /** The report that it is held against: of seven days before; of weeks, the one before. */
  readonly before: KeptReport | undefined;
  /** What that says of each row that is shown, in their order; undefined where there is none, and where rows are days. */
  readonly earlier: readonly Earlier[] | undefined;
  readonly coverage: Coverage | undefined;
  /** The attempt at the newest date that was tried; undefined where nothing was. `source_lag` is no failure. */
  readonly latest: ManifestRow | undefined;
  /**
   * The attempt that keeps the report from being whole, and when the first of those that failed in a row began, in milliseconds since
   * the epoch: that at the newest date, or the newest failure behind dates that are not final yet.
   */
  readonly failed: { readonly attempt: ManifestRow; readonly since: number } | undefined;
  /** Why it is left out, where the property is not set up for it. */
  readonly leftOut: { readonly reason: string; readonly seenAt: number } | undefined;
}

/** What is known of a report before it is put together. */
export interface KnownReport
  extends Pick<InsightReport, "family" | "property" | "latest" | "leftOut" | "failed"> {
  readonly shown: KeptReport | undefined;
  readonly before: KeptReport | undefined;
  /** The daily figure of the shown date that its rows are a part of. */
  readonly total: { readonly value: number | null; readonly state: SeriesState } | undefined;
}

export function viewReport(known: KnownReport): InsightReport {
  const { family, property, shown, before, latest, leftOut, total, failed } = known;
  const isProvisional = shown?.notes.includes("provisional") === true;
  const isLeftOut = leftOut !== undefined && (latest === undefined || leftOut.seenAt >= latest.attemptedAt);
  return {
    family,
    property,
    shown,
    isProvisional,
    before,
    earlier:
      shown === undefined || before === undefined || listsDays(family)
        ? undefined
        : earlierRows(family, shown.insight, before.insight),
    coverage: shown === undefined ? undefined : coverageOf(family, shown.insight, total),
    latest,
    // What is not asked for any more is not failing.
    failed: isLeftOut ? undefined : failed,
    leftOut: isLeftOut ? leftOut : undefined,
  };
}

/** Its rows are days: what changed from one to another stands in the rows themselves. */
const listsDays = ({ dimensions }: ReportFamily): boolean =>
  dimensions.length === 1 && dimensions[0] === "date";
