import { findReport, MEASURE_KEYS, type Measures } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, parseUtcDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { Problem } from "../../platform/problem.ts";
import {
  findPulse,
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
import { get, type Moment, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { siteHead } from "../site_head.ts";
import { REPORT_LOG } from "./log.ts";
import { LogPage } from "./log_page.tsx";
import { logAddress, logFilter } from "./log_query.ts";
import { ReportPage, type ReportPlace } from "./report_page.tsx";

/** Reports on one page of the log. */
const LOG_PAGE = 50;

/** `/sites/{asset}/reports`, and one report below it: `/{date}/{revision}`, `/codebase/{date}/{revision}`. */
export function nightlyRoutes(
  deps: PageDeps & { readonly db: Db; readonly destinationOf: (asset: string) => Destination },
) {
  const { db } = deps;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(db, asset, at);
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
      const { found, before, place } = placeIn("nightly", params, (date, revision) =>
        findPulse(db, site.asset, date, revision),
      );
      const report = JSON.parse(found.body) as Pulse;
      const difference =
        before === undefined ? undefined : pulseDifference(JSON.parse(before.body) as Pulse, report);
      return <ReportPage shell={shell} site={site} place={place} difference={difference} report={report} />;
    }),
    get(paths.codebaseReport, { find }, ({ shell, params, found: site }) => {
      const { found, before, place } = placeIn("codebase", params, (date, revision) =>
        findReport(db, site.asset, date, revision),
      );
      const difference =
        before === undefined ? undefined : measuresDifference(before.measures, found.measures);
      return (
        <ReportPage shell={shell} site={site} place={place} difference={difference} report={undefined} />
      );
    }),
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

/** The report that an address names, and the revision before it. Throws a `Problem` where it names none. */
function placeIn<Report extends Pick<ReportPlace, "receivedAt" | "generatedAt">>(
  kind: ReportPlace["kind"],
  named: { readonly date: string; readonly revision: string },
  find: (date: UtcDay, revision: number) => Report | undefined,
) {
  const date = parseUtcDay(named.date);
  const revision = /^[1-9]\d{0,8}$/.test(named.revision) ? Number(named.revision) : 0;
  const found = date === undefined || revision === 0 ? undefined : find(date, revision);
  if (date === undefined || found === undefined) throw new Problem("not-found", "No such report.");
  const { receivedAt, generatedAt } = found;
  const superseded = find(date, revision + 1) !== undefined;
  return {
    found,
    before: revision === 1 ? undefined : find(date, revision - 1),
    place: { kind, date, revision, superseded, receivedAt, generatedAt },
  };
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
