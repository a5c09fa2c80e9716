import { Elysia } from "elysia";
import {
  type CodebaseReport,
  type CodebaseView,
  codebaseView,
  findComparison,
  findLatest,
  findSentReport,
  listReports,
  rangeNamed,
  type ViewAlert,
} from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { type ChainedFlag, listChainedFlags } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import type { ChartAnnotation } from "../component/chart_marks.tsx";
import type { PageDeps } from "../page_deps.ts";
import { htmlPage } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { siteHead } from "../site_head.ts";
import { CodebasePage } from "./page.tsx";

/** Most reports a chart of all time reads: three years of daily ones. */
const MOST_REPORTS = 1_100;
/** Most lasting conditions read for the tab; the rest is in the flags. */
const MOST_ALERTS = 100;

/** What the Codebase tab needs. */
export interface CodebaseTabDeps extends PageDeps {
  readonly db: Db;
  readonly destinationOf: (asset: string) => Destination;
  readonly annotationsOf: (asset: string) => readonly ChartAnnotation[];
}

/** `/sites/{asset}/codebase`. */
export function codebaseTabRoutes(deps: CodebaseTabDeps) {
  return new Elysia({ name: "codebase-tab" }).get(
    "/sites/:asset/codebase",
    ({ request, params: { asset } }) => {
      const actor = deps.access.page(request);
      const site = siteHead(deps.db, asset);
      const params = new URL(request.url).searchParams;
      const view = readCodebaseView(deps.db, asset, {
        range: params.get("range") ?? undefined,
        until: params.get("until") ?? undefined,
      });
      return htmlPage(
        request,
        <CodebasePage
          shell={deps.shellFor(request, actor)}
          site={site}
          view={view}
          annotations={deps.annotationsOf(asset)}
          destination={deps.destinationOf(asset)}
        />,
      );
    },
  );
}

/** Gathers everything the tab shows of a site, from its newest reports; undefined while it has sent no codebase report. */
export function readCodebaseView(
  db: Db,
  asset: string,
  asked: { readonly range?: string | undefined; readonly until?: string | undefined },
  mostReports = MOST_REPORTS,
): CodebaseView | undefined {
  const latest = findLatest(db, asset);
  if (latest === undefined) return undefined;
  const comparison = findComparison(db, asset, latest.date);
  return codebaseView({
    reports: listReports(db, { asset, allRevisions: false }, mostReports),
    latestBody: bodyOf(db, latest),
    comparison: comparison === undefined ? null : { report: comparison, body: bodyOf(db, comparison) },
    visitors: { notMeasured: "No analytics source is connected." },
    alerts: listChainedFlags(db, { asset, rulePrefix: "codebase-", last: true }, MOST_ALERTS).map(toAlert),
    range: rangeNamed(asked.range),
    until: asked.until === undefined ? undefined : parseUtcDay(asked.until),
  });
}

function bodyOf(
  db: Db,
  report: Pick<NonNullable<ReturnType<typeof findLatest>>, "asset" | "date" | "revision">,
) {
  const sent = findSentReport(db, report.asset, report.date, report.revision);
  return sent === undefined ? undefined : (JSON.parse(sent.body) as CodebaseReport);
}

function toAlert(row: ChainedFlag): ViewAlert {
  return {
    id: row.id,
    rule: row.rule ?? "",
    severity: row.severity,
    kind: row.kind,
    message: row.message,
    status: row.status,
    raisedAt: parseInstant(row.raised_at) ?? 0,
    resolvedAt: row.resolved_at === null ? null : (parseInstant(row.resolved_at) ?? null),
    heldSince: parseInstant(row.chain.since) ?? 0,
    heldReports: row.chain.reports,
    ruleInputs: row.rule_inputs ?? {},
  };
}
