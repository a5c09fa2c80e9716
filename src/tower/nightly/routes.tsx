import { type CodebaseReport, MEASURE_KEYS, type Measures, reportView } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import {
  listFirstNights,
  listNights,
  type NightlySummary,
  nightlySummary,
  type Pulse,
  type PulseDifference,
  pulseDifference,
  STRIP_NIGHTS,
} from "../../pulse/mod.ts";
import { listRefused, REPORT_ROUTES } from "../../refusals/mod.ts";
import { pagingOf } from "../component/pager.tsx";
import type { SiteHead } from "../component/site_header.tsx";
import { both, mapped } from "../damage.tsx";
import { get, type Moment, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { REPORT_LOG } from "./log.ts";
import { LogPage } from "./log_page.tsx";
import { logAddress, logFilter } from "./log_query.ts";
import {
  CODEBASE,
  type Kept,
  type NamedReport,
  NIGHTLY,
  oneReport,
  type Revision,
  sentText,
} from "./one_report.ts";
import { ReportPage } from "./report_page.tsx";

/** Reports on one page of the log. */
const LOG_PAGE = 50;

/** `/sites/{asset}/reports`, and one report below it: `/{date}/{revision}`, `/codebase/{date}/{revision}`. */
export function nightlyRoutes(
  deps: PageDeps & SiteHeadDeps & { readonly destinationOf: (asset: string) => Destination },
) {
  const { db } = deps;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.reports, { query: logAddress, find }, ({ shell, query, now, found: site }) => {
      const { asset } = site;
      const filter = logFilter(asset, query);
      const paging = pagingOf(REPORT_LOG.count(db, filter), query.page, LOG_PAGE);
      return (
        <LogPage
          shell={shell}
          site={site}
          query={{ ...query, page: paging.page }}
          reports={REPORT_LOG.list(db, filter, LOG_PAGE, (paging.page - 1) * LOG_PAGE)}
          paging={paging}
          summary={summaryOf(db, site, now)}
          destination={deps.destinationOf(asset)}
          refused={listRefused(db, asset, query.kind === null ? undefined : REPORT_ROUTES[query.kind])}
        />
      );
    }),
    get(paths.nightlyReport, { find }, ({ shell, params, found: site }) => {
      const one = oneReport(db, NIGHTLY, params);
      const report = mapped(one.body, pulseOf);
      return (
        <ReportPage
          shell={shell}
          site={site}
          one={one}
          says={mapped(report, (report) => ({ kind: "nightly", report }) as const)}
          difference={
            one.before === undefined
              ? null
              : both(mapped(one.before.body, pulseOf), report, (before, after) =>
                  pulseDifference(before, after),
                )
          }
        />
      );
    }),
    get(paths.codebaseReport, { find }, ({ shell, params, found: site }) => {
      const one = oneReport(db, CODEBASE, params);
      const { row, before } = one;
      return (
        <ReportPage
          shell={shell}
          site={site}
          one={one}
          says={mapped(one.body, (body) => {
            const report = JSON.parse(body) as CodebaseReport;
            return { kind: "codebase", view: reportView(row, report) } as const;
          })}
          difference={
            before === undefined
              ? null
              : { ok: true, value: measuresDifference(before.row.measures, row.measures) }
          }
        />
      );
    }),
    get(paths.nightlyJson, { find }, ({ params }) => download(db, NIGHTLY, params)),
    get(paths.codebaseJson, { find }, ({ params }) => download(db, CODEBASE, params)),
  ]);
}

/** The nights of a site before its log: which came, and which did not. */
function summaryOf(db: Db, { asset, lifecycle }: SiteHead, now: number): NightlySummary {
  const since = addDays(utcDayOf(now), -STRIP_NIGHTS);
  return nightlySummary({
    received: listNights(db, [asset], since).get(asset) ?? new Set<UtcDay>(),
    first: listFirstNights(db, [asset]).get(asset),
    live: lifecycle === "live",
    latest: undefined,
    families: [],
    now,
  });
}

/** A report as a file. Its name holds nothing but what an address may. */
function download<Row extends Revision>(db: Db, kept: Kept<Row>, named: NamedReport): Response {
  const text = sentText(db, kept, named);
  const name = `${named.asset}-${kept.kind}-${named.date}-revision-${named.revision}.json`;
  return new Response(text, {
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-cache",
    },
  });
}

function pulseOf(body: string): Pulse {
  return JSON.parse(body) as Pulse;
}

/** Measures of two codebase reports that differ; an absent one is unmeasured, not 0. */
function measuresDifference(before: Measures, after: Measures): PulseDifference {
  const named = MEASURE_KEYS.filter((key) => before[key] !== undefined || after[key] !== undefined);
  const changed = named.filter((key) => before[key] !== after[key]);
  const none = { added: [], removed: [] };
  return {
    metrics: changed.map((name) => ({ name, before: before[name], after: after[name] })),
    pages: [],
    capabilities: none,
    flags: none,
    unchanged: named.length - changed.length,
  };
}
