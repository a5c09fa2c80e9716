/** Gathers the panels of a site: what is kept of its reports, how those stand, and the flags on its crawl issues. */
import { ARCHIVE_JOB, type InsightReport, siteInsights } from "../../archive/mod.ts";
import type { Attachment } from "../../credentials/contract.ts";
import type { Db } from "../../db/mod.ts";
import { listOpenSubjects } from "../../flags/mod.ts";
import { type Jobs, patternOf } from "../../jobs/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { PROVIDERS, type Provider } from "../../provider/contract.ts";
import { PROVIDER_ISSUE } from "../../rules/mod.ts";
import { ownHosts } from "./page_address.ts";
import type { IssueFlag, PanelSource, SitePanels } from "./panel_report.ts";
import { isOnOverview } from "./shown.ts";

const DAY_MS = 86_400_000;
/** A site without an attachment is asked about for as long as an account lists its address: so long after the last attempt it still is. */
const STILL_ASKED_MS = 3 * DAY_MS;

export interface PanelDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries">;
}

/** What is known of a site before its panels are read. */
export interface PanelSite {
  readonly asset: string;
  readonly url: string | null;
  readonly lifecycle: string;
  readonly attachments: readonly Attachment[];
  readonly now: number;
}

/** Reads the panels of a site: of every report, or in full of those alone that the overview shows. */
export function readPanels({ db, jobs }: PanelDeps, site: PanelSite, of: "all" | "overview"): SitePanels {
  const { asset, url, lifecycle, attachments, now } = site;
  const reports = siteInsights(db, asset, now, of === "all" ? undefined : isOnOverview);
  const source = (provider: Provider): PanelSource => {
    const own = reports.filter(({ family }) => family.provider === provider);
    const attached = attachments.find((attachment) => attachment.provider === provider)?.property;
    return {
      provider,
      property: attached ?? (provider === "webmaster-tools" ? matchedBy(own, now) : undefined),
      reports: own,
    };
  };
  const sources = Object.fromEntries(
    PROVIDERS.map((provider) => [provider, source(provider)]),
  ) as SitePanels["sources"];
  const at = jobs.entries().find(({ name }) => name === ARCHIVE_JOB)?.at;
  const issues = reports.find(({ family }) => family.name === "crawl-issues")?.shown?.insight.issues ?? [];
  return {
    asset,
    hosts: ownHosts([url, ...Object.values(sources).map(({ property }) => property)]),
    isRetired: lifecycle === "retired",
    sources,
    nextRun: at === undefined ? undefined : patternOf(at).next(now),
    issueFlags: issues.length === 0 ? [] : issueFlags(db, asset),
  };
}

/** The property that an account's list matched the site with, while it is asked about. */
function matchedBy(reports: readonly InsightReport[], now: number): string | undefined {
  return reports.find(({ latest }) => latest !== undefined && now - latest.attemptedAt < STILL_ASKED_MS)
    ?.property;
}

function issueFlags(db: Db, asset: string): IssueFlag[] {
  return listOpenSubjects(db, PROVIDER_ISSUE, asset).map(({ id, subject, severity, inputs }) => {
    const first = inputs["first_seen"];
    const at = typeof first === "string" ? parseInstant(first) : undefined;
    return { id, subject, severity, firstSeen: at === undefined ? undefined : utcDayOf(at) };
  });
}
