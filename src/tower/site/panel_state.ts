/** What is kept of the archived reports of a site, and how they stand. */

import { type InsightReport, siteInsights } from "../../archive/site_insights.ts";
import { parseInstant, utcDayOf } from "../../base/time.ts";
import { listOpenSubjects } from "../../flags/queries.ts";
import { PROVIDERS, type Provider } from "../../providers/adapter.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { PROVIDER_ISSUE } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { address, named, PAGE, sought } from "../kit/address.tsx";
import { sortOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { FIGURE_NAMES } from "./family_words.ts";
import { ownHosts } from "./key_cell.tsx";

/** One report family of a site. */
export type PanelReport = InsightReport;

export type SitePanels = ReturnType<typeof readPanels>;

/** Everything that one provider tells of a site. */
export type PanelSource = SitePanels["sources"][Provider];

/** What is known of a site before its reports are read. */
interface PanelSite {
  readonly asset: string;
  readonly url: string | null;
  readonly attachments: readonly Attachment[];
  readonly now: number;
}

/** What is kept of a site's reports, how those stand, and the flags on its crawl issues. */
export function readPanels(db: Db, site: PanelSite) {
  const { asset, url, attachments, now } = site;
  const reports = siteInsights(db, asset, now);
  const source = (provider: Provider) => {
    const own = reports.filter(({ family }) => family.provider === provider);
    const attached = attachments.find((attachment) => attachment.provider === provider)?.property;
    // A site without an attachment may be asked about because an account lists its address.
    const matched = own.find(({ latest }) => latest !== undefined)?.property;
    /** The provider's own id of the property that is asked about; undefined where none is. */
    const property = attached ?? matched;
    return { provider, property, reports: own };
  };
  const sources = Object.fromEntries(PROVIDERS.map((provider) => [provider, source(provider)])) as Readonly<
    Record<Provider, ReturnType<typeof source>>
  >;
  const issues = reports.find(({ family }) => family.name === "crawl-issues")?.shown?.insight.issues ?? [];
  return {
    asset,
    /** The hosts that are the site's own: addresses on them are told by their paths. */
    hosts: ownHosts([url, ...Object.values(sources).map(({ property }) => property)]),
    sources,
    issueFlags: issues.length === 0 ? [] : issueFlags(db, asset),
  };
}

/** The open flags on crawl issues; the subject is the type of issue. */
function issueFlags(db: Db, asset: string) {
  return listOpenSubjects(db, PROVIDER_ISSUE, asset).map(({ id, subject, severity, inputs }) => {
    const first = inputs["first_seen"];
    const at = typeof first === "string" ? parseInstant(first) : undefined;
    return { id, subject, severity, firstSeen: at === undefined ? undefined : utcDayOf(at) };
  });
}

/** What rows are sorted by where it is no figure of theirs: how much the leading figure changed, and their name. */
export const CHANGE = "change";
export const NAME = "name";

/** Which report is shown, its order (its leading figure, largest first, where nothing is said), what is sought in it, and its page. */
export const insightAddress = address({
  report: named(100, null),
  sort: sortOf([...FIGURE_NAMES, CHANGE, NAME], ""),
  q: sought(200),
  page: PAGE,
});

export type InsightQuery = typeof insightAddress.usual;

/** A report as an address names it. */
export const reportKey = ({ provider, name }: InsightReport["family"]): string => `${provider}.${name}`;

export const reportHref = (asset: string, family: InsightReport["family"]): string =>
  insightAddress.at(paths.siteInsights(asset))({ report: reportKey(family) });

/** A row of a panel. */
export interface PanelRow {
  readonly keys: readonly string[];
  /** By metric; null where the provider tells none. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** The leading figure. */
  readonly lead: number | null;
  /** What the earlier report says of it: 0 where it had no such row, null where nothing is known, undefined where there is no such report. */
  readonly earlier: number | null | undefined;
}

/** The rows that are kept of the shown report, in their order. */
export function panelRows({ family, shown, earlier }: PanelReport): PanelRow[] {
  return (shown?.insight.top ?? []).map(({ keys, values }, place) => {
    const held = earlier?.[place];
    return {
      keys,
      figures: Object.fromEntries(family.metrics.map((metric, at) => [metric, values[at] ?? null])),
      lead: values[0] ?? null,
      earlier:
        held === undefined
          ? undefined
          : held.told === "no_row"
            ? 0
            : held.told === "values"
              ? (held.values[0] ?? null)
              : null,
    };
  });
}
