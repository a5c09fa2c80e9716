import {
  type CodebaseReport,
  type CodebaseView,
  codebaseView,
  findComparison,
  findLatest,
  findSentReport,
  listReports,
  type ViewFlag,
} from "../../codebase/mod.ts";
import type { Attachment } from "../../credentials/contract.ts";
import type { Db } from "../../db/mod.ts";
import { type ChainedFlag, isSnoozed, listChainedFlags, titleOf } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import type { ChartAnnotations } from "../component/chart_marks.tsx";
import type { ChartDays } from "../component/chart_scale.ts";
import { readingWord } from "../component/reading_words.ts";
import { wholeOrDamage } from "../damage.tsx";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { CodebasePage } from "./page.tsx";
import { type ChartsQuery, chartsAddress } from "./query.ts";
import { readVisitors } from "./visitors.ts";

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
      ({ shell, query, now, found: site }) =>
        wholeOrDamage({ shell, site, tab: "codebase" }, () => {
          const view = readCodebaseView(deps.db, site.asset, query, now);
          return (
            <CodebasePage
              shell={shell}
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
  /** The site's attachments, where whoever asks has read them. */
  attached?: readonly Pick<Attachment, "provider">[],
): CodebaseView | undefined {
  const latest = findLatest(db, asset, now);
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
