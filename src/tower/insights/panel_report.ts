/** What the panels of a site draw: what is kept of the newest report of each family, and how it stands. Plain data. */
import type { InsightReport } from "../../archive/mod.ts";
import type { FlagRow } from "../../flags/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { Provider } from "../../provider/contract.ts";

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

/** A report of a provider by the name of its family; every family has one. */
export function reportOf({ reports }: PanelSource, name: string): PanelReport {
  const report = reports.find(({ family }) => family.name === name);
  if (report === undefined) throw new Error(`there is no report family ${name}`);
  return report;
}
