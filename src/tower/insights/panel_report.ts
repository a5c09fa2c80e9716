/** What the panels of a site draw: what is kept of the newest report of each family, and how it stands. Plain data. */
import type { ManifestRow } from "../../archive/contract.ts";
import type { FlagRow } from "../../flags/mod.ts";
import type { Insight } from "../../insights/contract.ts";
import type { Coverage } from "../../insights/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { Provider } from "../../provider/contract.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";

/** An attempt to get a report, as far as the panels tell of it. */
export type Attempt = Pick<
  ManifestRow,
  "id" | "date" | "attemptedAt" | "outcome" | "category" | "failureCode" | "nextRetryAt"
>;

/** One report family of a site. */
export interface PanelReport {
  readonly family: ReportFamily;
  /** The newest report that could be read; undefined while there is none. */
  readonly shown: Insight | undefined;
  /** Whether what it says may still change. */
  readonly isProvisional: boolean;
  /** The report of seven days before the shown one. */
  readonly before: Insight | undefined;
  readonly coverage: Coverage | undefined;
  /** Whether anything of it was ever tried. */
  readonly isTried: boolean;
  /** The latest attempt at the newest date that it failed for; undefined where a newer report than that is shown. */
  readonly failed: Attempt | undefined;
  /** The newest date of which the provider has no final figures yet, as a day number. */
  readonly lagging: number | undefined;
  /** Why it is left out, where the property is not set up for it. */
  readonly skipped: string | undefined;
}

/** Everything that one provider tells of a site. */
export interface PanelSource {
  readonly provider: Provider;
  /** The provider's own id of the property; undefined where none is attached. */
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
  readonly lastSeen: UtcDay | undefined;
}

/** The panels of a site. */
export interface SitePanels {
  readonly asset: string;
  /** The hosts that are the site's own: addresses on them are told by their paths. */
  readonly hosts: readonly string[];
  readonly isRetired: boolean;
  readonly sources: Readonly<Record<Provider, PanelSource>>;
  /** When the reports are asked for next, in milliseconds since the epoch. */
  readonly nextRun: number;
  readonly issueFlags: readonly IssueFlag[];
}

/** A report of a provider by the name of its family; every family has one. */
export function reportOf({ reports }: PanelSource, name: string): PanelReport {
  const report = reports.find(({ family }) => family.name === name);
  if (report === undefined) throw new Error(`there is no report family ${name}`);
  return report;
}
