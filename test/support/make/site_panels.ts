/** The panels of a site as they are drawn: with everything, with one provider alone, with none. */

import { earlierRows } from "../../../src/archive/insight_fold.ts";
import type { ManifestRow } from "../../../src/archive/manifest_row.ts";
import type { KeptReport } from "../../../src/archive/site_insights.ts";
import { addDays, dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { PROVIDERS, type Provider } from "../../../src/providers/adapter.ts";
import { familiesOf, type ReportFamily } from "../../../src/providers/report_families.ts";
import type { PanelReport, PanelSource, SitePanels } from "../../../src/tower/site/panel_state.ts";
import { reportOf } from "../archive.ts";
import { insightOf, type Planted } from "./insights.ts";

export const ASSET = "trailledger";
/** Its newest report, by provider: search console is behind, what analytics tells is not settled. */
const NEWEST: Readonly<Record<Provider, UtcDay>> = {
  analytics: "2026-11-19" as UtcDay,
  "search-console": "2026-11-17" as UtcDay,
  "webmaster-tools": "2026-11-20" as UtcDay,
};
const PROPERTIES: Readonly<Record<Provider, string>> = {
  analytics: "properties/348201993",
  "search-console": "sc-domain:trailledger.example",
  "webmaster-tools": "https://trailledger.example/",
};

function keptReport(family: ReportFamily, report: number, planted: Planted): KeptReport {
  const insight = { ...insightOf(family, ASSET, report + family.name.length, planted), target: 1 };
  return { insight, manifest: insight.report, notes: insight.notes };
}

/** A report with its rows, and that of seven days before. */
export function panelReport(
  family: ReportFamily,
  planted: Partial<Planted> = {},
  changes: Partial<PanelReport> = {},
): PanelReport {
  const date = planted.date ?? NEWEST[family.provider];
  const shown = keptReport(family, 4_000, { date, ...planted });
  const before = keptReport(family, 3_000, { times: 0.9, ...planted, date: addDays(date, -7) });
  const lead = family.metrics[0] ?? "";
  const sum = shown.insight.sums[lead] ?? 0;
  return {
    family,
    property: PROPERTIES[family.provider],
    shown,
    isProvisional: family.provider === "analytics",
    before,
    earlier: earlierRows(family, shown.insight, before.insight),
    coverage:
      family.provider === "search-console" && sum > 0
        ? {
            metric: lead,
            rows: sum,
            kept: sum,
            total: Math.round(sum / 0.38),
            isTotalProvisional: false,
            isOfSearchPages: true,
          }
        : undefined,
    latest: panelAttempt(
      family.provider === "search-console"
        ? { outcome: "source_lag", date: dayNumber(addDays(date, 2)) }
        : { date: dayNumber(date) },
    ),
    failed: undefined,
    leftOut: undefined,
    ...changes,
  };
}

/** A report of which nothing is kept. */
export const emptyReport = (family: ReportFamily, changes: Partial<PanelReport> = {}): PanelReport => ({
  family,
  property: undefined,
  shown: undefined,
  isProvisional: false,
  before: undefined,
  earlier: undefined,
  coverage: undefined,
  latest: undefined,
  failed: undefined,
  leftOut: undefined,
  ...changes,
});

/** An attempt to get a report. */
const panelAttempt = (changes: Partial<ManifestRow>): ManifestRow => ({
  ...reportOf({ attemptedAt: Date.UTC(2026, 10, 20, 12, 16) }),
  id: 1,
  run: "run",
  ...changes,
});

/** What keeps a report from being whole: an attempt that failed, the first of its row unless it is said when that was. */
export function failedSince(
  changes: Partial<ManifestRow> = {},
  since?: number,
): NonNullable<PanelReport["failed"]> {
  const attempt = panelAttempt({
    id: 9_001,
    date: dayNumber("2026-11-19" as UtcDay),
    outcome: "failed",
    category: "exhausted_budget",
    failureCode: "daily_quota",
    nextRetryAt: Date.UTC(2026, 10, 21, 0, 5),
    complete: false,
    ...changes,
  });
  return { attempt, since: since ?? attempt.attemptedAt };
}

/** The reports of a provider, each made by `of`. */
export function panelSource(
  provider: Provider,
  of: (family: ReportFamily) => PanelReport = panelReport,
  property: string | undefined = PROPERTIES[provider],
): PanelSource {
  return { provider, property, reports: familiesOf(provider).map((family) => of(family)) };
}

/** A provider that a site is not connected to. */
export const noSource = (provider: Provider): PanelSource => ({
  provider,
  property: undefined,
  reports: familiesOf(provider).map((family) => emptyReport(family)),
});

/** The panels of a site with these sources; it is not connected to the others. */
export function sitePanels(sources: readonly PanelSource[], changes: Partial<SitePanels> = {}): SitePanels {
  const given = new Map(sources.map((source) => [source.provider, source]));
  return {
    asset: ASSET,
    hosts: ["trailledger.example"],
    isRetired: false,
    sources: Object.fromEntries(
      PROVIDERS.map((provider) => [provider, given.get(provider) ?? noSource(provider)]),
    ) as unknown as SitePanels["sources"],
    nextRun: Date.UTC(2026, 10, 21, 12, 15),
    issueFlags: [
      {
        id: "flag-5xx",
        subject: "http_5xx",
        severity: "warn",
        firstSeen: "2026-11-02" as UtcDay,
      },
    ],
    ...changes,
  };
}

/** A site with all three. */
export const allPanels = (): SitePanels => sitePanels(PROVIDERS.map((provider) => panelSource(provider)));
