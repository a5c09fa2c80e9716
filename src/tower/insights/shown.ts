/** Which reports a panel shows, and in which order. Every family stands in one panel. */
import type { Provider } from "../../provider/contract.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";

export type PanelName = "Search" | "Pages" | "Traffic" | "Crawl";

/** A report family by its names. */
export interface Shown {
  readonly provider: Provider;
  readonly family: string;
}

interface PanelShape {
  readonly heading: PanelName;
  readonly sources: readonly Provider[];
  /** Reports that the overview shows, in columns where there is room for two. */
  readonly columns: readonly (readonly Shown[])[];
  /** Those that the page of all reports shows after them. */
  readonly more: readonly Shown[];
}

const of =
  (provider: Provider) =>
  (...families: readonly string[]): readonly Shown[] =>
    families.map((family) => ({ provider, family }));
const searched = of("search-console");
const visited = of("analytics");
const crawled = of("webmaster-tools");

export const PANELS: readonly PanelShape[] = [
  {
    heading: "Search",
    sources: ["search-console"],
    columns: [
      searched("query", "image-page-query"),
      searched("device", "country", "search-appearance-pages"),
    ],
    more: searched("page-query"),
  },
  {
    heading: "Pages",
    sources: ["search-console", "analytics"],
    columns: [[...searched("page"), ...searched("discover-page")], visited("pages-screens", "landing-pages")],
    more: [...searched("page-country", "page-device"), ...visited("page-events")],
  },
  {
    heading: "Traffic",
    sources: ["analytics"],
    columns: [visited("traffic-acquisition", "events"), visited("traffic-sources", "js-errors")],
    more: visited("landing-page-acquisition", "events-28d"),
  },
  {
    heading: "Crawl",
    sources: ["webmaster-tools"],
    columns: [crawled("crawl-stats", "feeds"), crawled("crawl-issues", "queries", "pages")],
    more: crawled("rank-traffic"),
  },
];

const OVERVIEW = new Set(
  PANELS.flatMap(({ columns }) => columns.flat().map(({ provider, family }) => `${provider} ${family}`)),
);

/** Whether the overview of a site shows rows of a report. */
export const isOnOverview = ({ provider, name }: Pick<ReportFamily, "provider" | "name">): boolean =>
  OVERVIEW.has(`${provider} ${name}`);

/** Reports of which more rows are seen at once than of others. */
export const LEADING: ReadonlySet<string> = new Set([
  "query",
  "page",
  "pages-screens",
  "traffic-acquisition",
  "traffic-sources",
  "js-errors",
]);

/** Reports whose rows are all parts of one whole, shown as one bar. */
export const SHARES: ReadonlySet<string> = new Set(["device", "traffic-acquisition"]);
