/** What keeps the reports of a panel from being shown as they should be: each cause once, whatever it concerns. Pure. */

import type { ManifestRow } from "../../archive/manifest_row.ts";
import type { InsightReport } from "../../archive/site_insights.ts";
import { dayNumber, type UtcDay } from "../../base/time.ts";
import type { FlagRow } from "../../flags/flags.ts";
import type { Provider } from "../../providers/adapter.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import { address, named, PAGE, sought } from "../kit/address.tsx";
import { sortOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { FIGURE_NAMES } from "./family_words.ts";

/** What the panels of a site draw: what is kept of the newest report of each family, and how it stands. Plain data. */

/** One report family of a site. */
export type PanelReport = InsightReport;

/** Everything that one provider tells of a site. */
export interface PanelSource {
  readonly provider: Provider;
  /** The provider's own id of the property that is asked about; undefined where none is. */
  readonly property: string | undefined;
  readonly reports: readonly PanelReport[];
}

/** An open flag on a type of crawl issue. */
export interface IssueFlag {
  readonly id: string;
  /** The type of issue. */
  readonly subject: string;
  readonly severity: FlagRow["severity"];
  readonly firstSeen: UtcDay | undefined;
}

/** The panels of a site. */
export interface SitePanels {
  readonly asset: string;
  /** The hosts that are the site's own: addresses on them are told by their paths. */
  readonly hosts: readonly string[];
  readonly isRetired: boolean;
  readonly sources: Readonly<Record<Provider, PanelSource>>;
  /** When the reports are asked for next, in milliseconds since the epoch; undefined where no schedule says so. */
  readonly nextRun: number | undefined;
  readonly issueFlags: readonly IssueFlag[];
}

/** What rows are sorted by where it is no figure of theirs: how much the leading figure changed, and their name. */
export const CHANGE = "change";
export const NAME = "name";

const LONGEST_SOUGHT = 200;

/** Which report is shown, its order (its leading figure, largest first, where nothing is said), what is sought in it, and its page. */
export const insightAddress = address({
  report: named(100, null),
  sort: sortOf([...FIGURE_NAMES, CHANGE, NAME], ""),
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
});

export type InsightQuery = typeof insightAddress.usual;

/** A report as an address names it. */
export const reportKey = ({ provider, name }: InsightReport["family"]): string => `${provider}.${name}`;

export const reportHref = (asset: string, family: InsightReport["family"]): string =>
  insightAddress.at(paths.siteInsights(asset))({ report: reportKey(family) });

/** Its rows are days, newest first. */
export const listsDays = ({ dimensions }: InsightReport["family"]): boolean =>
  dimensions.length === 1 && dimensions[0] === "date";

/** A report of a provider by the name of its family; every family has one. */
export function reportOf({ reports }: PanelSource, name: string): PanelReport {
  const report = reports.find(({ family }) => family.name === name);
  if (report === undefined) throw new Error(`there is no report family ${name}`);
  return report;
}

/** Reports that came to nothing for one cause. */
export interface Trouble {
  readonly category: FailureCategory;
  readonly code: string | null;
  /** Whether a part of them came, which no figure is read from. */
  readonly isIncomplete: boolean;
  readonly reports: readonly PanelReport[];
  /** The newest of their attempts. */
  readonly latest: ManifestRow;
  /** When the first of them began to fail, in milliseconds since the epoch; undefined where these attempts are the first that failed. */
  readonly since: number | undefined;
}

/** Why reports failed, those of one cause together; the one that concerns the most first. */
export function troublesOf(reports: readonly PanelReport[]): Trouble[] {
  const failed = reports.flatMap((report) =>
    report.failed === undefined || isBehind(report)
      ? []
      : [{ report, latest: report.failed.attempt, since: report.failed.since }],
  );
  const causes = Map.groupBy(
    failed,
    ({ latest }) => `${latest.outcome}/${latest.category}/${latest.failureCode}`,
  );
  return [...causes.values()]
    .flatMap((held): Trouble[] => {
      const newest = held.reduce((best, one) => (one.latest.id > best.latest.id ? one : best));
      return [
        {
          category: newest.latest.category ?? "monitoring_failure",
          code: newest.latest.failureCode,
          isIncomplete: newest.latest.outcome === "incomplete",
          reports: held.map(({ report }) => report),
          latest: newest.latest,
          since: held.every(({ latest, since }) => since === latest.attemptedAt)
            ? undefined
            : Math.min(...held.map(({ since }) => since)),
        },
      ];
    })
    .toSorted((a, b) => b.reports.length - a.reports.length);
}

/** A failure of a day before the one that is shown keeps nothing of it away. */
const isBehind = ({ failed, shown }: PanelReport): boolean =>
  failed !== undefined &&
  shown !== undefined &&
  failed.attempt.date < dayNumber(shown.insight.date as UtcDay);

/** How a source stands as a whole. */
type SourceState =
  /** No property is attached, and nothing is kept of one. */
  | "not_connected"
  /** Attached, and nothing of it was asked for yet. */
  | "never_archived"
  /** Everything that was asked for failed. */
  | "nothing_usable"
  | "shown";

export function sourceState({ property, reports }: PanelSource): SourceState {
  if (reports.some(({ shown }) => shown !== undefined)) return "shown";
  if (property === undefined) return "not_connected";
  return reports.some(({ latest }) => latest !== undefined) ? "nothing_usable" : "never_archived";
}

/** The rows of a report beside those of an earlier one. Pure. */

/** What the earlier report says of a row's leading figure. */
type EarlierLead =
  | { readonly told: "value"; readonly value: number }
  /** It had no such row: the row is new. */
  | { readonly told: "no_row" }
  /** Nothing is known: only its first rows are kept, or several of them are told by the same words. */
  | { readonly told: "not_known" };

/** A row of a panel. */
export interface PanelRow {
  readonly keys: readonly string[];
  /** By metric; null where the provider tells none. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** The leading figure. */
  readonly lead: number | null;
  /** Undefined where there is no earlier report. */
  readonly earlier: EarlierLead | undefined;
}

/** The rows that are kept of the shown report, in their order. */
export function panelRows({ family, shown, earlier }: PanelReport): PanelRow[] {
  return (shown?.insight.top ?? []).map(({ keys, values }, place) => {
    const lead = values[0] ?? null;
    const held = earlier?.[place];
    return {
      keys,
      figures: Object.fromEntries(family.metrics.map((metric, at) => [metric, values[at] ?? null])),
      lead,
      earlier: held && leadOf(held),
    };
  });
}

function leadOf(held: NonNullable<InsightReport["earlier"]>[number]): EarlierLead {
  if (held.told === "no_row") return { told: "no_row" };
  const value = held.told === "values" ? (held.values[0] ?? null) : null;
  return value === null ? { told: "not_known" } : { told: "value", value };
}
