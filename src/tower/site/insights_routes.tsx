/** Gathers the panels of a site: what is kept of its reports, how those stand, and the flags on its crawl issues. */

import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { type InsightReport, siteInsights } from "../../archive/site_insights.ts";
import { parseInstant, utcDayOf } from "../../base/time.ts";
import { listOpenSubjects } from "../../flags/queries.ts";
import { PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { listAttachmentsOf } from "../../providers/attachments.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { PROVIDER_ISSUE } from "../../sites/rule_catalogue.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import { patternOf } from "../../store/timetable.ts";
import type { PageDeps } from "../keyboard.tsx";
import { get, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { ownHosts } from "./key_cell.tsx";
import type { IssueFlag, PanelSource, SitePanels } from "./panel_state.ts";
import { isOnOverview, SitePanelsView } from "./provider_panels.tsx";

const DAY_MS = 86_400_000;
/** A site without an attachment is asked about for as long as an account lists its address: so long after the last attempt it still is. */
const STILL_ASKED_MS = 3 * DAY_MS;

export interface PanelDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries">;
}

/** What is known of a site before its panels are read. */
interface PanelSite {
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

/** Every report that is kept of a site, with every row that is kept of it. */

function InsightsPage(props: { readonly site: SiteHead; readonly panels: SitePanels }) {
  const { site, panels } = props;
  return (
    <Page title={siteTitle(site, "reports of providers")} current="sites">
      <SiteHeader site={site} current="insights" />
      <p class="note">
        The first 25 rows of each report. All rows are in the{" "}
        <a href={paths.archiveOfSite(site.asset)}>archive</a>.{" "}
        <a href={paths.site(site.asset)}>Back to the overview</a>
      </p>
      <SitePanelsView site={panels} isWhole />
    </Page>
  );
}

/** `/sites/{asset}/insights`: every report that is kept of a site. */

export function insightRoutes(deps: PageDeps & SiteHeadDeps & PanelDeps) {
  return mounted(deps, [
    get(paths.siteInsights, { find: ({ asset }, at) => siteHead(deps, asset, at) }, ({ found: site, now }) =>
      wholeOrDamage({ site, tab: "insights" }, () => {
        const attachments = listAttachmentsOf(deps.db, site.asset);
        const panels = readPanels(deps, { ...site, attachments, now }, "all");
        return <InsightsPage site={site} panels={panels} />;
      }),
    ),
  ]);
}
