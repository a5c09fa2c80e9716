/** What the pages of a site read of its codebase reports. */

import { dayNumber, type UtcDay } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import { type ChainedFlag, isSnoozed } from "../../flags/flags.ts";
import { listChainedFlags } from "../../flags/queries.ts";
import { listAttachmentsOf } from "../../providers/properties.ts";
import { findComparison, findLatest, findReportBody, listReports } from "../../reports/codebase.ts";
import { type VisitorsMeasured, visitorDays, visitorsChange } from "../../reports/codebase_sentence.ts";
import {
  type CodebaseRange,
  type CodebaseView,
  codebaseView,
  type ViewFlag,
} from "../../reports/codebase_view.ts";
import type { CodebaseReport } from "../../reports/measures.ts";
import { findSeries, readBlocks } from "../../reports/series.ts";
import { stretchOf, unlessDamaged } from "../../reports/series_days.ts";
import type { Db } from "../../store/store.ts";

/** Most reports a chart of all time reads: three years of daily ones. */
const MOST_REPORTS = 1_100;
/** Most lasting conditions read for the tab; the rest is in the flags. */
const MOST_FLAGS = 100;

/** Gathers everything the tab shows of a site, from its newest reports; undefined while it has sent no codebase report. */
export function readCodebaseView(
  db: Db,
  asset: string,
  asked: { readonly range: CodebaseRange; readonly until: UtcDay | null },
  now: number,
): CodebaseView | undefined {
  const latest = findLatest(db, asset, now);
  if (latest === undefined) return undefined;
  const comparison = findComparison(db, asset, latest.date);
  return codebaseView({
    reports: listReports(db, { asset, to: latest.date, allRevisions: false }, MOST_REPORTS),
    latestBody: bodyOf(db, latest),
    comparison: comparison === undefined ? null : { report: comparison, body: bodyOf(db, comparison) },
    visitors:
      comparison === undefined
        ? { notMeasured: "There is no report to compare with." }
        : readVisitors(db, asset, { latest: latest.date, comparison: comparison.date }),
    flags: listChainedFlags(db, { asset, rulePrefix: "codebase-", last: true }, MOST_FLAGS).map((row) =>
      toViewFlag(row, now),
    ),
    range: asked.range,
    until: asked.until ?? undefined,
  });
}

function bodyOf(db: Db, report: Parameters<typeof findReportBody>[1]) {
  const body = findReportBody(db, report);
  return body === undefined ? undefined : (JSON.parse(body) as CodebaseReport);
}

/** The visitors of a site around two of its codebase reports; days of the property's own calendar. */
function readVisitors(
  db: Db,
  asset: string,
  reports: { readonly latest: UtcDay; readonly comparison: UtcDay },
): VisitorsMeasured {
  const series = findSeries(db, { asset, source: "analytics", metric: "active_users" });
  if (series === undefined) {
    const isAttached = listAttachmentsOf(db, asset).some(({ provider }) => provider === "analytics");
    return {
      notMeasured: isAttached
        ? "Nothing was pulled from the analytics property yet."
        : "No analytics source is connected.",
    };
  }
  const of = { latest: dayNumber(reports.latest), comparison: dayNumber(reports.comparison) };
  const { from, to } = visitorDays(of);
  const days = unlessDamaged(() => stretchOf(readBlocks(db, series, from, to), from, to));
  if (days === undefined)
    return { notMeasured: "Their stored days are damaged, and rebuilding makes them again." };
  return visitorsChange(days, of);
}

/** A flag as the tabs of a site list it. */
export function toViewFlag(row: ChainedFlag, now: number): ViewFlag {
  return {
    id: row.id,
    rule: row.rule ?? "",
    severity: row.severity,
    message: titleOf(row, now),
    status: row.status,
    snoozed: isSnoozed(row, now),
    heldSince: Date.parse(row.chain.since),
  };
}
