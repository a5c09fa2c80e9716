/** Insights of every family as they are kept, the same on every run: what the panels of a site and what they are read from are tried with. */

import { type Insight, type InsightBody, MOST_KEPT_ROWS, putInsight } from "../../../src/archive/insights.ts";
import { recordReport } from "../../../src/archive/manifest.ts";
import type { ArchiveNote, ArchiveOutcome, ManifestRow } from "../../../src/archive/manifest_row.ts";
import { addDays, dayNumber, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import type { Provider } from "../../../src/providers/adapter.ts";
import {
  familiesOf,
  REPORT_FAMILIES,
  type ReportFamily,
  type ReportRow,
} from "../../../src/providers/report_families.ts";
import type { Tx } from "../../../src/store/store.ts";
import { objectNumbered } from "../archive.ts";

const PATHS = [
  "/",
  "/routes/alps/long-distance-hut-to-hut-crossing",
  "/checkout",
  "/routes/pyrenees",
  "/blog/packing",
];
const QUERIES = [
  "alpine huts",
  "hut to hut",
  "gpx export",
  "trail ledger",
  "how to read contour lines on a map",
];
const CHANNELS = [
  "Organic Search",
  "Direct",
  "Referral",
  "Organic Social",
  "AI Assistant",
  "Email",
  "Unassigned",
];
const COUNTRIES = ["deu", "aut", "che", "ita", "fra", "gbr", "usa", "nld", "svn", "bel", "pol", "esp", "zzz"];
const EVENTS = ["page_view", "session_start", "scroll", "click", "sign_up", "gpx_export", "exception"];

const KEYS: Readonly<Record<string, readonly string[]>> = {
  query: QUERIES,
  page: PATHS.map((path) => `https://trailledger.example${path}`),
  country: COUNTRIES,
  device: ["MOBILE", "DESKTOP", "TABLET"],
  appearance: ["VIDEO", "REVIEW_SNIPPET"],
  title: ["Trail Ledger", "Hut to hut", "Checkout"],
  landing_page: PATHS,
  channel: CHANNELS,
  source: ["google", "(direct)", "bergfreunde.example", "chatgpt.com"],
  medium: ["organic", "(none)", "referral"],
  campaign: ["(not set)", "spring"],
  event: EVENTS,
  message: ["TypeError: undefined is not a function", "ResizeObserver loop limit exceeded"],
  url: PATHS.map((path) => `https://trailledger.example${path}`),
  type: ["Sitemap", "RSS"],
  status: ["Success", "Pending"],
};

/** How many rows a family may have at most: there are only so many devices. */
const MOST: Readonly<Record<string, number>> = {
  device: 3,
  "traffic-acquisition": CHANNELS.length,
  country: 13,
  feeds: 2,
};

const DAY_MS = 86_400_000;

export interface Planted {
  readonly date: UtcDay;
  /** Rows of the report; at most `MOST_KEPT_ROWS` of them are kept. */
  readonly rows?: number;
  /** What every figure is multiplied by. */
  readonly times?: number;
  /** Stands in every text that somebody else writes. */
  readonly text?: string;
}

/** What is kept of a report of this family. */
export function bodyOf(family: ReportFamily, { date, rows = 40, times = 1, text }: Planted): InsightBody {
  const isDays = family.name === "crawl-stats" || family.name === "rank-traffic";
  const count = Math.min(rows, MOST[family.name] ?? rows);
  const kept = isDays ? Math.min(rows, 28) : Math.min(count, MOST_KEPT_ROWS);
  const top = Array.from({ length: kept }, (_, place) => rowOf(family, place, { date, times, text, isDays }));
  const isOfWeeks = !isDays && family.dimensions.includes("date");
  return {
    rows: count,
    ...(isOfWeeks && { among: Math.ceil(count / 2) }),
    sums: Object.fromEntries(
      family.metrics.map((metric, place) => [
        metric,
        top.reduce((sum, { values }) => sum + (values[place] ?? 0), 0) + (count - kept),
      ]),
    ),
    top,
    notes: family.name === "pages-screens" ? ["sampled", "other_row"] : [],
    ...(family.name === "crawl-issues" && { issues: issuesOf(text) }),
  };
}

function rowOf(
  family: ReportFamily,
  place: number,
  { date, times, text, isDays }: { date: UtcDay; times: number; text: string | undefined; isDays: boolean },
): ReportRow {
  const size = Math.round((900 * times) / (place + 1) ** 1.3);
  return {
    keys: family.dimensions.map((dimension) => {
      if (dimension === "date") return isDays ? addDays(date, -place - 3) : addDays(date, -2);
      const named = KEYS[dimension] ?? ["?"];
      const name = named[place % named.length] ?? "";
      if (text !== undefined && !["country", "device"].includes(dimension)) return `${text}${place}`;
      return place < named.length || family.dimensions.length > 1 ? name : `${name} ${place}`;
    }),
    values: family.metrics.map((metric, at) => figureOf(metric, at, size, place)),
  };
}

function figureOf(metric: string, at: number, size: number, place: number): number | null {
  switch (metric) {
    case "ctr":
      return 0.0431;
    case "position":
      return 3.4 + place;
    case "click_position":
      return size === 0 ? -1 : 4;
    case "events_per_user":
      return 2.4;
    case "last_crawled":
      return place === 0 ? Date.UTC(2026, 10, 17, 4) : null;
    case "submitted":
      return Date.UTC(2026, 8, 1);
    case "in_index":
      return 4_000 + place * 3;
    default:
      return at === 0 ? size : size * 12 + place;
  }
}

function issuesOf(text: string | undefined): NonNullable<InsightBody["issues"]> {
  const urls = (count: number, from: number) =>
    Array.from(
      { length: count },
      (_, place) => `${text ?? "https://trailledger.example/old/"}${from + place}`,
    );
  return [
    { type: "http_4xx", urls: urls(50, 0), of: 212 },
    { type: "http_5xx", urls: urls(3, 50), of: 3 },
    { type: "blocked_by_robots_txt", urls: urls(7, 60), of: 7 },
  ];
}

/** An insight of a report with this number. */
export function insightOf(family: ReportFamily, asset: string, report: number, planted: Planted): Insight {
  const { provider, name } = family;
  const observedAt = Date.parse(planted.date) + 2 * DAY_MS + 44_160_000;
  return {
    ...bodyOf(family, planted),
    asset,
    provider,
    family: name,
    date: planted.date,
    report,
    observedAt,
  };
}

// What the archive keeps of a site, as its job writes it: attempts with their standings, and what is kept of each
// report.

export interface PlantedArchive {
  readonly asset: string;
  readonly provider: Provider;
  readonly property: string;
  readonly connectionRevision?: string;
  /** The newest date, and how many there are up to it. */
  readonly newest: UtcDay;
  readonly dates?: number;
  /** The families that are planted; all of the provider when absent. */
  readonly families?: readonly string[];
  /** What is planted of a family. */
  readonly of?: (family: ReportFamily) => Partial<Planted>;
  /** What the attempts at the newest date came to, where they came to nothing. */
  readonly last?: Pick<ManifestRow, "outcome" | "category" | "failureCode" | "nextRetryAt">;
}

const ATTEMPTED_MS = 44_160_000;
/** More dates than are planted of a family. */
const DATES = 100_000;

/** Puts reports of a provider in place, the oldest date first. */
export function plantArchive(tx: Tx, archive: PlantedArchive): void {
  const { asset, provider, property, newest, dates = 8, families, of = () => ({}), last } = archive;
  for (const family of familiesOf(provider)) {
    if (families !== undefined && !families.includes(family.name)) continue;
    for (let back = dates - 1; back >= 0; back--) {
      if (family.everyDays === 7 && back % 7 !== 0) continue;
      const date = addDays(newest, -back);
      const isProvisional = provider === "analytics" && back === 0;
      const attempt = {
        run: 1,
        target: {
          asset,
          provider,
          connectionRevision: archive.connectionRevision ?? "first",
          property,
          family: family.name,
        },
        date: dayNumber(date),
        rangeFrom: family.of === "days28" ? dayNumber(date) - 27 : null,
        attemptedAt: startOfDay(date) + ATTEMPTED_MS,
        tookMs: 300,
        requests: 1,
        category: null,
        failureCode: null,
        nextRetryAt: null,
      };
      if (back === 0 && last !== undefined) {
        recordReport(tx, { ...attempt, ...last, object: null, complete: false, notes: [] });
        continue;
      }
      const insight = insightOf(family, asset, 0, { date, times: 1 + (dates - back) / 40, ...of(family) });
      const outcome: ArchiveOutcome = insight.rows === 0 ? "empty" : "stored";
      const notes: ArchiveNote[] = isProvisional ? [...insight.notes, "provisional"] : [...insight.notes];
      const object = {
        ...objectNumbered((REPORT_FAMILIES.indexOf(family) + 1) * DATES + dayNumber(date)),
        rows: insight.rows,
      };
      const { id, target } = recordReport(tx, { ...attempt, outcome, object, complete: true, notes });
      putInsight(tx, { ...insight, report: id }, target);
    }
  }
}
