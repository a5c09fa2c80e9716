import { Elysia } from "elysia";
import { findReport, MEASURE_KEYS, type Measures } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, parseUtcDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { Problem } from "../../platform/problem.ts";
import {
  findLatestPulse,
  findPulse,
  listFirstNights,
  listNights,
  nightlySummary,
  type Pulse,
  type PulseDifference,
  pulseDifference,
  STRIP_NIGHTS,
} from "../../pulse/mod.ts";
import { listRefused, REPORT_ROUTES } from "../../refusals/mod.ts";
import { pagingOf } from "../component/pager.tsx";
import type { PageDeps } from "../page_deps.ts";
import { htmlPage } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { siteHead } from "../site_head.ts";
import { LogPage } from "./log_page.tsx";
import { logFilter, logQuery } from "./log_query.ts";
import { countLog, listLog } from "./log_store.ts";
import { ReportPage, type ReportPlace } from "./report_page.tsx";

/** Reports on one page of the log. */
export const LOG_PAGE = 50;

/** What the pages of the reports need. */
export interface NightlyRoutesDeps extends PageDeps {
  readonly db: Db;
  readonly destinationOf: (asset: string) => Destination;
}

/** `/sites/{asset}/reports`, and one report below it: `/{date}/{revision}`, `/codebase/{date}/{revision}`. */
export function nightlyRoutes(deps: NightlyRoutesDeps) {
  return new Elysia({ name: "nightly" })
    .get("/sites/:asset/reports", ({ request, params: { asset } }) => log(request, deps, asset))
    .get("/sites/:asset/reports/:date/:revision", ({ request, params }) => nightly(request, deps, params))
    .get("/sites/:asset/reports/codebase/:date/:revision", ({ request, params }) =>
      codebase(request, deps, params),
    );
}

function log(request: Request, deps: NightlyRoutesDeps, asset: string): Response {
  const { db } = deps;
  const actor = deps.access.page(request);
  const site = siteHead(db, asset);
  const shell = deps.shellFor(request, actor);
  const query = logQuery(new URL(request.url).searchParams);
  const filter = logFilter(asset, query);
  const paging = pagingOf(countLog(db, filter), query.page, LOG_PAGE);
  const since = addDays(utcDayOf(shell.now), -STRIP_NIGHTS);
  const summary = nightlySummary({
    received: listNights(db, [asset], since).get(asset) ?? new Set<UtcDay>(),
    first: listFirstNights(db, [asset]).get(asset),
    live: site.lifecycle === "live",
    latest: findLatestPulse(db, asset, shell.now),
    families: [],
    now: shell.now,
  });
  return htmlPage(
    request,
    <LogPage
      shell={shell}
      site={site}
      query={{ ...query, page: paging.page }}
      reports={listLog(db, filter, LOG_PAGE, (paging.page - 1) * LOG_PAGE)}
      paging={paging}
      summary={summary}
      destination={deps.destinationOf(asset)}
      refused={listRefused(db, asset, query.kind === null ? undefined : REPORT_ROUTES[query.kind])}
    />,
  );
}

interface Named {
  readonly asset: string;
  readonly date: string;
  readonly revision: string;
}

/** The day and revision an address names. Throws a `Problem` where it names none. */
function placeIn({ date, revision }: Named): { readonly date: UtcDay; readonly revision: number } {
  const day = parseUtcDay(date);
  if (day === undefined || !/^[1-9]\d{0,8}$/.test(revision)) throw noReport();
  return { date: day, revision: Number(revision) };
}

function noReport(): Problem {
  return new Problem("not-found", "No such report.");
}

function nightly(request: Request, deps: NightlyRoutesDeps, named: Named): Response {
  const actor = deps.access.page(request);
  const site = siteHead(deps.db, named.asset);
  const { date, revision } = placeIn(named);
  const found = findPulse(deps.db, named.asset, date, revision);
  if (found === undefined) throw noReport();
  const before = revision === 1 ? undefined : findPulse(deps.db, named.asset, date, revision - 1);
  const report = JSON.parse(found.body) as Pulse;
  const place: ReportPlace = {
    kind: "nightly",
    date,
    revision,
    superseded: findPulse(deps.db, named.asset, date, revision + 1) !== undefined,
    receivedAt: found.receivedAt,
    generatedAt: found.generatedAt,
  };
  const difference =
    before === undefined ? undefined : pulseDifference(JSON.parse(before.body) as Pulse, report);
  return htmlPage(
    request,
    <ReportPage
      shell={deps.shellFor(request, actor)}
      site={site}
      place={place}
      difference={difference}
      report={report}
    />,
  );
}

function codebase(request: Request, deps: NightlyRoutesDeps, named: Named): Response {
  const actor = deps.access.page(request);
  const site = siteHead(deps.db, named.asset);
  const { date, revision } = placeIn(named);
  const found = findReport(deps.db, named.asset, date, revision);
  if (found === undefined) throw noReport();
  const before = revision === 1 ? undefined : findReport(deps.db, named.asset, date, revision - 1);
  const place: ReportPlace = {
    kind: "codebase",
    date,
    revision,
    superseded: findReport(deps.db, named.asset, date, revision + 1) !== undefined,
    receivedAt: found.receivedAt,
    generatedAt: found.generatedAt,
  };
  return htmlPage(
    request,
    <ReportPage
      shell={deps.shellFor(request, actor)}
      site={site}
      place={place}
      difference={before === undefined ? undefined : measuresDifference(before.measures, found.measures)}
      report={undefined}
    />,
  );
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
