/** The visitors of a site around two of its codebase reports; days of the property's own calendar. */

import { dayNumber, parseInstant, type UtcDay } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { listChainedFlags } from "../../flags/queries.ts";
import { isSnoozed } from "../../flags/snoozes.ts";
import { listAttachmentsOf } from "../../providers/attachments.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { findComparison, findLatest, findSentReport, listReports } from "../../reports/codebase.ts";
import { type VisitorsMeasured, visitorDays, visitorsChange } from "../../reports/codebase_sentence.ts";
import { type CodebaseView, codebaseView, type ViewFlag } from "../../reports/codebase_view.ts";
import type { CodebaseReport } from "../../reports/measures.ts";
import { findSeries, readBlocks } from "../../reports/series.ts";
import { stretchOf, unlessDamaged } from "../../reports/series_days.ts";
import type { Db } from "../../store/store.ts";
import type { PageDeps } from "../keyboard.tsx";
import type { ChartAnnotations } from "../kit/chart_marks.tsx";
import type { ChartDays } from "../kit/chart_scale.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { get, mounted } from "../kit/route.ts";
import { wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { CodebasePage } from "./codebase_page.tsx";
import { type ChartsQuery, chartsAddress } from "./over_time.tsx";
import type { Destination } from "./ways.tsx";

function readVisitors(
  db: Db,
  asset: string,
  reports: { readonly latest: UtcDay; readonly comparison: UtcDay },
  attached: () => readonly Pick<Attachment, "provider">[] = () => listAttachmentsOf(db, asset),
): VisitorsMeasured {
  const series = findSeries(db, { asset, source: "analytics", metric: "active_users" });
  if (series === undefined) return { notMeasured: whyNone(attached()) };
  const of = { latest: dayNumber(reports.latest), comparison: dayNumber(reports.comparison) };
  const { from, to } = visitorDays(of);
  const days = unlessDamaged(() => stretchOf(readBlocks(db, series, from, to), from, to));
  if (days === undefined)
    return { notMeasured: "Their stored days are damaged, and rebuilding makes them anew." };
  return visitorsChange(days, of);
}

function whyNone(attached: readonly Pick<Attachment, "provider">[]): string {
  const isAttached = attached.some(({ provider }) => provider === "analytics");
  return isAttached
    ? "Nothing was pulled from the analytics property yet."
    : "No analytics source is connected.";
}

/** Most reports a chart of all time reads: three years of daily ones. */

const MOST_REPORTS = 1_100;
/** Most lasting conditions read for the tab; the rest is in the flags. */
const MOST_FLAGS = 100;

const NO_ANNOTATIONS: ChartAnnotations = { marks: [], newest: null };

/** `/sites/{asset}/codebase`. */
export function codebaseTabRoutes(
  deps: PageDeps &
    SiteHeadDeps & {
      readonly destinationOf: (asset: string) => Destination;
      readonly annotationsOf: (asset: string, days: ChartDays) => ChartAnnotations;
    },
) {
  return mounted(deps, [
    get(
      paths.codebase,
      { query: chartsAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, now, found: site }) =>
        wholeOrDamage({ site, tab: "codebase" }, () => {
          const view = readCodebaseView(deps.db, site.asset, query, now);
          return (
            <CodebasePage
              site={site}
              view={view}
              annotations={
                view === undefined ? NO_ANNOTATIONS : deps.annotationsOf(site.asset, view.charts.range)
              }
              destination={deps.destinationOf(site.asset)}
            />
          );
        }),
    ),
  ]);
}

/** Gathers everything the tab shows of a site, from its newest reports; undefined while it has sent no codebase report. */
export function readCodebaseView(
  db: Db,
  asset: string,
  asked: Partial<ChartsQuery>,
  now: number,
  mostReports = MOST_REPORTS,
  /** The site's attachments and its latest report, where whoever asks has read them. */
  attached?: readonly Pick<Attachment, "provider">[],
  latest = findLatest(db, asset, now),
): CodebaseView | undefined {
  if (latest === undefined) return undefined;
  const comparison = findComparison(db, asset, latest.date);
  return codebaseView({
    reports: listReports(db, { asset, to: latest.date, allRevisions: false }, mostReports),
    latestBody: bodyOf(db, latest),
    comparison: comparison === undefined ? null : { report: comparison, body: bodyOf(db, comparison) },
    visitors:
      comparison === undefined
        ? { notMeasured: "There is no report to compare with." }
        : readVisitors(
            db,
            asset,
            { latest: latest.date, comparison: comparison.date },
            attached === undefined ? undefined : () => attached,
          ),
    flags: listChainedFlags(db, { asset, rulePrefix: "codebase-", last: true }, MOST_FLAGS).map((row) =>
      toViewFlag(row, now),
    ),
    range: asked.range ?? chartsAddress.usual.range,
    until: asked.until ?? undefined,
  });
}

function bodyOf(
  db: Db,
  report: Pick<NonNullable<ReturnType<typeof findLatest>>, "asset" | "date" | "revision">,
) {
  const sent = findSentReport(db, report.asset, report.date, report.revision);
  return sent === undefined ? undefined : (JSON.parse(sent.body) as CodebaseReport);
}

/** A flag as the tabs of a site list it. */
export function toViewFlag(row: ChainedFlag, now: number): ViewFlag {
  return {
    id: row.id,
    rule: row.rule ?? "sent by the site",
    severity: row.severity,
    kind: row.kind,
    message: titleOf(row, now),
    status: row.status,
    snoozed: isSnoozed(row, now),
    raisedAt: parseInstant(row.raised_at) ?? 0,
    resolvedAt: row.resolved_at === null ? null : (parseInstant(row.resolved_at) ?? null),
    heldSince: parseInstant(row.chain.since) ?? 0,
    heldReports: row.chain.reports,
    ...(readingWord(row) === "reading" && { heldBy: "reading" as const }),
    thing: row.chain.first,
    ruleInputs: row.rule_inputs ?? {},
  };
}
