/** What is kept of each report of a site, how it stands, and what it is held against. Pure. */
import {
  type Coverage,
  coverageOf,
  type Earlier,
  earlierRows,
  type InsightBody,
  type StoredInsight,
} from "../insights/mod.ts";
import type { ReportFamily } from "../provider/report/contract.ts";
import type { SeriesState } from "../series/mod.ts";
import type { ArchiveNote, ManifestRow } from "./contract.ts";

/** How a report stands. */
export type ReportState =
  /** Nothing was tried yet. */
  | "never"
  /** The property is not set up for it, so that it is not asked for. */
  | "left_out"
  | "failed"
  /** The newest date is not final with its provider: nothing failed. */
  | "source_lag"
  /** It came, and has no rows: nothing happened, which is a true zero. */
  | "empty"
  /** What it says may still change. */
  | "provisional"
  | "final";

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
  readonly state: ReportState;
  /** The newest report that could be read, whatever came of later attempts. */
  readonly shown: KeptReport | undefined;
  readonly isProvisional: boolean;
  /** The report that it is held against: of seven days before; of weeks, the one before. */
  readonly before: KeptReport | undefined;
  /** What that says of each row that is shown, in their order; undefined where there is none, and where rows are days. */
  readonly earlier: readonly Earlier[] | undefined;
  readonly coverage: Coverage | undefined;
  /** The attempt at the newest date that was tried. */
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
    state: isLeftOut
      ? "left_out"
      : failed !== undefined
        ? "failed"
        : stateOf(latest, shown?.insight, isProvisional),
    shown,
    isProvisional,
    before,
    earlier:
      shown === undefined || before === undefined || listsDays(family)
        ? undefined
        : earlierRows(family, shown.insight, before.insight),
    coverage: shown === undefined ? undefined : coverageOf(family, shown.insight, total),
    latest,
    failed,
    leftOut: isLeftOut ? leftOut : undefined,
  };
}

/** Its rows are days: what changed from one to another stands in the rows themselves. */
const listsDays = ({ dimensions }: ReportFamily): boolean =>
  dimensions.length === 1 && dimensions[0] === "date";

export const isFailed = ({ outcome }: Pick<ManifestRow, "outcome">): boolean =>
  outcome === "failed" || outcome === "incomplete";

function stateOf(
  latest: ManifestRow | undefined,
  shown: InsightBody | undefined,
  isProvisional: boolean,
): ReportState {
  if (latest === undefined) return "never";
  if (latest.outcome === "source_lag") return "source_lag";
  if (isProvisional) return "provisional";
  return (shown?.rows ?? latest.object?.rows ?? 0) === 0 ? "empty" : "final";
}
