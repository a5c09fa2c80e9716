/** Canned data for the Tower's pages: fixed. */

import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { REPORT_ROUTES, type RefusedReport } from "../../src/health/refusals.ts";
import type { CodebaseViewInput, ViewFlag, ViewReport } from "../../src/reports/codebase_view.ts";
import type { CodebaseReport, MeasureKey, Measures } from "../../src/reports/measures.ts";
import type { FreshToken } from "../../src/tower/fresh_tokens.ts";
import { NAV, type Shell } from "../../src/tower/keyboard.tsx";
import { within } from "../../src/tower/kit/here.ts";
import type { SiteHead } from "../../src/tower/kit/site_state.tsx";
import type { Destination } from "../../src/tower/site/ways.tsx";
import type { SiteRow } from "../../src/tower/sites/portfolio.ts";

export const TODAY = "2026-11-20" as UtcDay;
/** 14:02:10 UTC on that day. */
export const NOW = startOfDay(TODAY) + 50_530_000;

/** The shell of a signed-in operator's page. */
export function shellOf(changes: Partial<Shell> = {}): Shell {
  return {
    addressOf: (file) => `/static/${file}`,
    nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: 23 } : item)),
    operator: "ada",
    version: "0.1.0",
    here: "/",
    notice: null,
    answersForm: false,
    ...changes,
  };
}

/** Renders as the page of a request does, at NOW unless it says another moment. */
export function inPage<Made>(
  make: () => Made,
  { now = NOW, ...shell }: Partial<Shell> & { readonly now?: number } = {},
): Made {
  return within({ now, shell: shellOf(shell) }, make);
}

/** Nothing needs attention. */
export const CALM = {
  entries: [],
  serviceAsset: "tower",
  pictures: new Map(),
  coverage: {
    state: "complete",
    reason: null,
    configured: 0,
    monitored: 0,
    unmonitored: 0,
    more: { archive: 0, operations: 0 },
  },
  unknown: 0,
  unwatched: [],
  unjudged: { sites: [], backlog: { reports: 0, since: undefined } },
  isUnheard: false,
} as const;

export const SITE: SiteHead = {
  asset: "trailledger",
  url: "https://trailledger.example/",
  lifecycle: "live",
  openFlags: { error: 0, warn: 1, info: 1 },
  snoozed: 0,
  standing: { state: "reporting", receivedAt: NOW - 5 * 3_600_000, pausedUntil: null },
  refused: [],
  entries: [],
  silenceFlag: undefined,
  unwatched: [],
};

export const DESTINATION: Destination = {
  asset: "trailledger",
  ingest: "http://127.0.0.1:4610",
  here: "http://127.0.0.1:4610",
  container: null,
  token: null,
  loopback: true,
};

const TOOLS = {
  image: "measure@sha256:91fe2ac04d",
  line_counter: "1.0.0",
  duplication: "5.3.2",
  complexity: "1.0.0",
};

/** Builds a current report. */
export function viewReport(
  date: UtcDay,
  measures: Measures,
  changes: Partial<Omit<ViewReport, "date" | "measures">> = {},
): ViewReport {
  const at = startOfDay(date) + 22_320_000;
  return { date, measures, revision: 1, receivedAt: at + 5_000, generatedAt: at, tools: TOOLS, ...changes };
}

/** A report as it was sent, with its required fields. */
export function sentReport(changes: Partial<CodebaseReport> = {}): CodebaseReport {
  return { asset: "trailledger", generatedAt: "2026-11-18T06:12:00Z", measures: {}, ...changes };
}

/** A steady climb with a little unevenness, the same on every run. */
function level(index: number, from: number, to: number, count: number): number {
  const share = count === 1 ? 1 : index / (count - 1);
  return from + (to - from) * share + Math.sin(index * 1.7) * (to - from) * 0.04;
}

/** `count` reports that end on `last`, `step` days apart. Tools change at two thirds, twice in all. */
export function reportsOf(count: number, step: number, last: UtcDay): ViewReport[] {
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(last, (index - count + 1) * step);
    const measured = index % 5 !== 3;
    const measures: Partial<Record<MeasureKey, number>> = {
      code_lines: Math.round(level(index, 41_365, 47_894, count)),
      comment_lines: 5_102,
      files: 618,
      languages: 6,
      test_lines: 34_005,
      test_ratio: Number(level(index, 0.69, 0.71, count).toFixed(3)),
      duplication_percent: Number(level(index, 7.3, 8.6, count).toFixed(1)),
      duplicated_lines: 3_982,
      duplicate_blocks: 61,
      unused_files: index % 3,
      unused_exports: 0,
      complex_functions: Math.round(level(index, 31, 42, count)),
      functions: 3_911,
      max_function_complexity: 61,
      mean_function_complexity: 3.42,
      commits_30d: 88,
      files_touched_30d: 214,
      large_commits_30d: 3,
      dependencies_direct: 41,
      build_passed: index % 9 === 4 ? 0 : 1,
      tests_passed: index === count - 1 || index % 7 === 2 ? 0 : 1,
    };
    if (!measured) delete measures.test_ratio;
    const version = index < count / 3 ? "5.2.0" : index < (count * 4) / 5 ? "5.3.1" : "5.3.2";
    return viewReport(date, measures, { tools: { ...TOOLS, duplication: version } });
  });
}

export const FINDINGS: NonNullable<CodebaseReport["findings"]> = {
  duplicates: [
    {
      lines: 148,
      files: [
        { path: "src/routes/import/gpx.ts", startLine: 41, lines: 148 },
        { path: "src/routes/import/fit.ts", startLine: 38, lines: 139 },
      ],
    },
    {
      lines: 96,
      files: [
        { path: "src/mail/templates/welcome.tsx", startLine: 12 },
        { path: "src/mail/templates/renewal.tsx", startLine: 14 },
        { path: "src/mail/templates/lapsed.tsx", startLine: 11 },
      ],
    },
    {
      lines: 74,
      files: [
        { path: "src/map/tiles.ts", startLine: 210 },
        { path: "src/map/offline/tiles.ts", startLine: 188 },
      ],
    },
  ],
  complexFunctions: [
    { path: "src/map/routing/segment.ts", name: "resolveSegment", line: 118, complexity: 61, length: 240 },
    {
      path: "src/routes/import/gpx.ts",
      name: "parseGpxTrackWithExtensionsAndWaypoints",
      line: 77,
      complexity: 44,
      length: 188,
    },
    { path: "src/billing/price.ts", name: "priceForHutNight", line: 20, complexity: 29, length: 96 },
  ],
  unused: [
    { kind: "file", path: "scripts/season-2019.ts" },
    { kind: "export", path: "src/map/tiles.ts", name: "tileUrlForOldServer", line: 31 },
  ],
  largestFiles: [
    { path: "src/map/routing/segment.ts", code_lines: 1_920 },
    { path: "src/routes/import/gpx.ts", code_lines: 1_188 },
    { path: "src/billing/invoice.ts", code_lines: 940 },
    { path: "src/db/schema.ts", code_lines: 811 },
  ],
};

export const LATEST_BODY: CodebaseReport = sentReport({
  repository: {
    remote: "https://git.example/trail/ledger.git",
    ref: "main",
    commit: "4be1c07d2a9f40c38d1b6f5e7a8c9b0d1e2f3a4b",
    committedAt: "2026-11-18T05:58:00Z",
  },
  paths: ["src", "scripts"],
  tools: TOOLS,
  unmeasured: { unused_dependencies: "No tool measures unused packages yet." },
  notes: { unused_files: "of 518 covered files", unused_exports: "of 518 covered files" },
  byLanguage: [
    { language: "TypeScript", files: 488, code_lines: 38_010 },
    { language: "SQL", files: 61, code_lines: 3_120 },
    { language: "CSS", files: 22, code_lines: 2_870 },
    { language: "Python", files: 30, code_lines: 1_690 },
  ],
  findings: FINDINGS,
  dismissed: [
    { kind: "unused-file", path: "scripts/once/**", reason: "Run by hand.", count: 12 },
    {
      kind: "unused-export",
      path: "src/plugins/*.ts",
      name: "register",
      reason: "Called by name.",
      count: 3,
    },
    { kind: "duplicate", path: "src/mail/legacy/**", reason: "Alike on purpose.", count: 0 },
  ],
});

const BEFORE_BODY: CodebaseReport = sentReport({
  findings: {
    duplicates: [
      ...(FINDINGS.duplicates ?? []).slice(1),
      {
        lines: 60,
        files: [
          { path: "src/legacy/a.ts", startLine: 4 },
          { path: "src/legacy/b.ts", startLine: 9 },
        ],
      },
    ],
    complexFunctions: (FINDINGS.complexFunctions ?? []).slice(1),
  },
});

export const FLAGS: readonly ViewFlag[] = [
  {
    id: "a1",
    rule: "codebase-duplication",
    severity: "warn",
    message: "8.6% of the code is repeated.",
    status: "open",
    heldSince: startOfDay("2026-11-11" as UtcDay) + 22_325_000,
  },
  {
    id: "a2",
    rule: "codebase-unused",
    severity: "info",
    message: "12 files are not used. Packages: Not measured.",
    status: "resolved",
    heldSince: startOfDay("2026-09-29" as UtcDay) + 22_325_000,
  },
];

/** A site with a rich history: 26 reports, a comparison report, visitors, flags. */
export function richInput(changes: Partial<CodebaseViewInput> = {}): CodebaseViewInput {
  const reports = reportsOf(26, 3, "2026-11-18" as UtcDay);
  const comparison = reports.find((report) => report.date === "2026-10-19");
  return {
    reports,
    latestBody: LATEST_BODY,
    comparison: comparison === undefined ? null : { report: comparison, body: BEFORE_BODY },
    visitors: {
      percent: 14.2,
      windows: [
        { to: 20_774, visits: 571 },
        { to: 20_744, visits: 500 },
      ],
    },
    flags: FLAGS,
    range: 90,
    ...changes,
  };
}

/** `count` sites of every kind. */
export function siteRows(count: number): SiteRow[] {
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(TODAY, -(index % 9));
    return {
      asset: `site-${String(index).padStart(4, "0")}`,
      url: index % 11 === 5 ? null : `https://site-${index}.example`,
      group: index % 3 === 0 ? null : `Group ${index % 3}`,
      lifecycle: index % 17 === 3 ? "pre-launch" : index % 23 === 7 ? "retired" : "live",
      openFlags: {
        error: index % 31 === 1 ? 1 : 0,
        warn: index % 13 === 2 ? 2 : 0,
        info: index % 7 === 4 ? 1 : 0,
      },
      snoozed: index % 19 === 6 ? 2 : 0,
      ...(index % 8 !== 6 && {
        codebase: {
          date,
          receivedAt: startOfDay(date),
          codeLines: index % 10 === 9 ? null : 1_000 + index * 317,
        },
      }),
      standing: standingOf(index),
    };
  });
}

function standingOf(index: number): SiteRow["standing"] {
  const receivedAt = index % 6 === 5 ? null : NOW - (index % 30) * 3_600_000;
  const state =
    index % 23 === 7
      ? "retired"
      : index % 17 === 3
        ? "pre_launch"
        : receivedAt === null
          ? "never_reported"
          : index % 30 > 26
            ? "silent"
            : index % 29 === 8
              ? "paused"
              : "reporting";
  return { state, receivedAt, pausedUntil: state === "paused" ? NOW + 86_400_000 : null };
}

/** Refusals of a nightly report for one reason; `text` stands where the sender wrote. */
export function refusedReport(text = "/metrics/signups/last24h", count = 7): RefusedReport {
  return {
    asset: "harbor",
    route: REPORT_ROUTES.nightly,
    status: 422,
    code: "broken-contract",
    faults: [{ pointer: text, rule: "count", message: "must be a whole number of 0 or more" }],
    more: 2,
    firstAt: NOW - 9 * 86_400_000,
    lastAt: NOW,
    count,
  };
}

/** A token that may still be shown. */
export const FRESH: FreshToken = {
  kind: "site",
  name: "kilnandclay",
  token: "smt_3fq9mwc2_VbX7uLhYtE0aZrK1d",
  until: NOW + 1_800_000,
  operatorAdded: false,
};
