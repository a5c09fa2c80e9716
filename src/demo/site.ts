/** What a site of the demo is made of. Days are told as distances from the day on which the demo was made: 0 is that day, -1 the one before. */

import type {
  AnalyticsProperty,
  PlantedChange,
  SearchConsoleProperty,
  WebmasterProperty,
} from "./simulator/world.ts";

/** Something a site counts about itself. */
export interface DemoMetric {
  readonly name: string;
  /** How many of it a visitor leaves, on average. */
  readonly perVisitor: number;
  /** Beside what the visitors do: what happens to this figure alone. */
  readonly changes?: readonly PlantedChange[];
  /** What was counted before the first report. */
  readonly before?: number;
}

/** The code of a site, as it is measured every week. */
export interface DemoCode {
  readonly language: string;
  /** Lines on the day the demo was made. */
  readonly lines: number;
  /** Lines added in each of the weeks before, the newest last; for weeks before those the first counts. */
  readonly weekly: readonly number[];
  readonly testRatio: number;
  readonly duplication: number;
  readonly unused: number;
  readonly complex: number;
  readonly vulnerable?: number;
  readonly failsTests?: boolean;
}

/** Something that was done, or happened; `at` is as `09:40`, in UTC. */
export type DemoNote = readonly [
  day: number,
  at: string,
  kind: "deploy" | "model-change" | "config" | "incident" | "autonomy-change" | "external",
  ref: string,
  note: string,
];

export interface DemoSite {
  readonly id: string;
  readonly lifecycle: "live" | "pre-launch" | "retired";
  /** Whose it is; absent where it is in no group. */
  readonly group?: string;
  /** What it is found by, and has a page of each. */
  readonly phrases?: readonly string[];
  readonly visitors: number;
  /** What a weekday has of the average, from Sunday on. */
  readonly week: readonly number[];
  readonly yearly: number;
  readonly dispersion?: number;
  readonly changes?: readonly PlantedChange[];
  /** Days that analytics tells otherwise once the demo is filled: late data. */
  readonly revised?: { readonly from: number; readonly to: number; readonly factor: number };
  /** When the first and the last report came; none are sent where it is absent. */
  readonly reports?: { readonly from: number; readonly to?: number; readonly minute: number };
  readonly metrics: readonly DemoMetric[];
  /** Families that the site declares, with where it keeps them. */
  readonly families?: readonly string[];
  readonly code?: DemoCode;
  readonly notes?: readonly DemoNote[];
  /** How often something is released, in days; never where it is absent. */
  readonly releases?: number;
  /** `nextZone`: the time zone it is moved to once the demo is filled. */
  readonly analytics?: Omit<AnalyticsProperty, "zoneChanges"> & { readonly nextZone?: string };
  /** The account that analytics is asked with: `archive` is one whose key is refused. */
  readonly account?: "archive";
  readonly searchConsole?: SearchConsoleProperty;
  readonly webmasterTools?: WebmasterProperty;
}

// What sites of the demo have in common: the shape of their weeks (what a weekday has of the average, from Sunday on)
// and their providers.

export const SHOP_WEEK = [1.1, 0.92, 0.9, 0.94, 1, 1.08, 1.16];
export const WORK_WEEK = [0.55, 1.18, 1.24, 1.2, 1.14, 1.02, 0.67];
export const LEISURE_WEEK = [1.32, 0.84, 0.82, 0.86, 0.92, 1.06, 1.28];

/** What is asked of things that are sold, of places, and of what is read. */
export const SHOP_ASKS = "online, price, delivery, gift, reviews, near me, sale, ideas, best";
export const PLACE_ASKS =
  "prices, booking, opening times, map, parking, with children, in winter, reviews, offers";
export const READ_ASKS = "guide, examples, for beginners, history, list, pictures, explained, online, books";

/** Each subject as it is, then with all that is asked of it. */
export const phrases = (subjects: string, asks: string): readonly string[] =>
  ["", ...asks.split(", ")].flatMap((ask) =>
    subjects.split(", ").map((subject) => `${subject} ${ask}`.trim()),
  );

/** The first night that was reported of. */
export const FIRST_NIGHT = -400;

/** The providers of a site whose properties are named as usual. */
export function everywhere(id: string, property: string, timeZone: string) {
  return {
    analytics: { property, timeZone, account: "412" },
    searchConsole: { property: `sc-domain:${id}` },
    // Nothing is wrong with its pages; who has another story says so.
    webmasterTools: { property: `https://${id}/`, crawlIssues: [] },
  };
}
