/** The pages about nightly reports with canned data: rich, silent, with 200 metrics and the longest names. */

import { addDays, startOfDay } from "../../src/base/time.ts";
import { codebaseView, reportView } from "../../src/reports/codebase_view.ts";
import { pulseDifference } from "../../src/reports/pulse_difference.ts";
import type { Safe } from "../../src/tower/jsx/safe.ts";
import type { Shell } from "../../src/tower/keyboard.tsx";
import { pagingOf } from "../../src/tower/kit/pager.tsx";
import { OverviewPage } from "../../src/tower/site/overview_page.tsx";
import { type OneReport, ReportPage } from "../../src/tower/site/report_page.tsx";
import { type Logged, LogPage, logAddress } from "../../src/tower/site/reports_page.tsx";
import { fullCodebaseReport } from "./make/codebase_report.ts";
import { fullPulse } from "./make/pulse.ts";
import {
  METRICS,
  made,
  nightlyOverview,
  noNightly,
  type OverviewOptions,
  overviewOf,
} from "./nightly_data.ts";
import { DESTINATION, inPage, NOW, refusedReport, richInput, SITE, TODAY } from "./tower_data.ts";

const LONG = `${"a-metric-of-a-very-deep-family.".repeat(6)}${"x".repeat(14)}`;

function overview(shell: Shell, options: OverviewOptions): Safe {
  const charts = overviewOf(options);
  return inPage(
    () => (
      <OverviewPage site={SITE} codebase={codebaseView(richInput())} {...charts} destination={DESTINATION} />
    ),
    shell,
  );
}

function longNames(): OverviewOptions {
  const names = [LONG, `${LONG.slice(0, 190)}2`, "ㅤ長い指標の名前".repeat(12)];
  return {
    metrics: names.map((name, index) => ({
      name,
      count: (back) => (index === 1 ? Number.MAX_SAFE_INTEGER - back : back % 3 === 0 ? null : 0),
      days: 60,
      total: Number.MAX_SAFE_INTEGER,
      avg7d: -1e300,
    })),
    families: names,
    report: {
      capabilities: names,
      negativeByPage: Array.from({ length: 300 }, (_, index) => ({
        page: `/${"deep/".repeat(80)}${index}`,
        count: Number.MAX_SAFE_INTEGER - index,
      })),
    },
  };
}

/** A log with both kinds, revisions, and one report made close to midnight. */
export function loggedReports(count: number): Logged[] {
  return Array.from({ length: count }, (_, index): Logged => {
    const date = addDays(TODAY, -Math.floor(index / 2));
    const late = index % 7 === 4;
    const generatedAt = startOfDay(date) + (late ? 600_000 : 12_420_000 + index * 60_000);
    return {
      kind: index % 5 === 2 ? "codebase" : "nightly",
      date,
      revision: index % 2 === 0 ? 2 : 1,
      revisions: 2,
      receivedAt: generatedAt + 4_000,
      generatedAt,
    };
  });
}

/** Every page about nightly reports, by name. */
export function nightlyPages(shell: Shell): (readonly [string, Safe])[] {
  const before = fullPulse({ metrics: { signups: { last24h: 11, total: 1_899 }, uploads: { last24h: 3 } } });
  const report = fullPulse();
  const rows = [2, 1].map((revision) => ({
    date: TODAY,
    revision,
    receivedAt: NOW - 3e7,
    generatedAt: NOW - 3.01e7,
    ignored: { pointers: ["/metrics/signups/last_24h"], more: 0 },
  }));
  const codebase = fullCodebaseReport();
  const oneOf = (kind: "nightly" | "codebase", revision: 1 | 2, sent: object): OneReport => ({
    kind,
    asset: SITE.asset,
    row: { ...rows[0], ...rows[2 - revision] } as OneReport["row"],
    revisions: rows,
    body: { ok: true, value: JSON.stringify(sent) },
    before: undefined,
  });
  const log = {
    shell,
    site: SITE,
    query: logAddress.usual,
    summary: nightlyOverview().summary,
    destination: DESTINATION,
  };
  return [
    ["nightly-200", overview(shell, { metrics: made(200), families: [] })],
    ["nightly-7", overview(shell, { query: { range: 7 }, metrics: METRICS.slice(0, 3) })],
    ["nightly-long", overview(shell, longNames())],
    [
      "reports",
      inPage(
        () => (
          <LogPage
            {...log}
            reports={loggedReports(50)}
            paging={pagingOf(2_190, 1, 50)}
            refused={[refusedReport(), refusedReport(`/metrics/${LONG}/total`, 1)]}
          />
        ),
        shell,
      ),
    ],
    [
      "reports-empty",
      inPage(
        () => (
          <LogPage
            {...log}
            summary={noNightly().summary}
            reports={[]}
            refused={[]}
            paging={pagingOf(0, 1, 50)}
          />
        ),
        shell,
      ),
    ],
    [
      "report",
      inPage(
        () => (
          <ReportPage
            site={SITE}
            one={oneOf("nightly", 2, report)}
            says={{ ok: true, value: { kind: "nightly", report } }}
            difference={{ ok: true, value: pulseDifference(before, report) }}
          />
        ),
        shell,
      ),
    ],
    [
      "report-codebase",
      inPage(
        () => (
          <ReportPage
            site={SITE}
            one={oneOf("codebase", 1, codebase)}
            says={{
              ok: true,
              value: {
                kind: "codebase",
                view: reportView(
                  { date: TODAY, measures: codebase.measures, tools: codebase.tools },
                  codebase,
                ),
              },
            }}
            difference={undefined}
          />
        ),
        shell,
      ),
    ],
    [
      "report-damaged",
      inPage(
        () => (
          <ReportPage
            site={SITE}
            one={oneOf("nightly", 1, report)}
            says={{ ok: false, damage: "pulse_pack, row 3: it is not as it was written" }}
            difference={undefined}
          />
        ),
        shell,
      ),
    ],
  ];
}
