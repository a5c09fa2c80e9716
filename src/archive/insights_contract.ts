/** What the Tower keeps of a report's rows: the first few and what is needed to say how much of the whole they are. Never raw rows. */

import type { ReportNote } from "../providers/adapter.ts";
import type { ReportRow } from "../providers/report_families.ts";

/** Rows that are kept of a report. */
export const MOST_KEPT_ROWS = 25;
/** Days that are kept of a report that lists days. */
export const MOST_KEPT_DAYS = 28;
/** URLs that are kept of each type of issue. */
export const MOST_KEPT_URLS = 50;
/** Reports of a family that are kept of a property, by date: more than the week that a change is told over. */
export const MOST_KEPT_DATES = 16;

/** What is kept of one report. */
export interface InsightBody {
  /** Rows of the report. */
  readonly rows: number;
  /** How many of them are of the newest week, where only those are looked at: what is summed up, and what the first rows are of. */
  readonly among?: number;
  /**
   * Sums over all of its rows by metric: what the rows cover, never a total (rows of pages count a search more than once, and a
   * top-row report leaves out the rest). Only of counts.
   */
  readonly sums: Readonly<Record<string, number>>;
  /** The first rows by the family's leading figure, at most `MOST_KEPT_ROWS`; of days the newest. */
  readonly top: readonly ReportRow[];
  readonly notes: readonly ReportNote[];
  /** Crawl issues: URLs by type of issue, at most 50 each, with how many there are. */
  readonly issues?: readonly {
    readonly type: string;
    readonly urls: readonly string[];
    readonly of: number;
  }[];
}

/** An insight as it is stored, with the report that it is made of. */
export interface Insight extends InsightBody {
  readonly asset: string;
  readonly provider: string;
  readonly family: string;
  /** `2026-11-18` of the provider's calendar. */
  readonly date: string;
  /** The row of `archive_report`. */
  readonly report: number;
  /** When the report was asked for, in milliseconds since the epoch. */
  readonly observedAt: number;
}

/** An insight with the row of `archive_target` that it is of. */
export interface StoredInsight extends Insight {
  readonly target: number;
}

/** Makes an insight of rows as they come, in memory that does not grow with them. Pure but for what it keeps. */
export interface InsightFold {
  add(row: ReportRow): void;
  body(notes: readonly ReportNote[]): InsightBody;
}
