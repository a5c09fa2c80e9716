/** The last days of each site's figures: of one page of sites, in as many statements for a hundred as for one. */
import type { Db } from "../../db/mod.ts";
import { dayNumber } from "../../lib/day_number.ts";
import { utcDayOf } from "../../lib/utc_day.ts";
import { SENT } from "../../rules/mod.ts";
import {
  listFirstSeries,
  listSeriesOf,
  readBlocks,
  type SeriesOfSite,
  type Stretch,
  stretchOf,
  unlessDamaged,
} from "../../series/mod.ts";

/** Days that are drawn, today among them. */
const DAYS = 28;

/** The figures that stand in a row. */
export const SPARKS = ["visitors", "clicks", "first"] as const;
export type SparkName = (typeof SPARKS)[number];

/** One figure of a site. */
export interface Spark {
  readonly source: string;
  readonly metric: string;
  readonly days: Stretch;
}

/** What a site has of them; a figure that no source tells is absent. */
export type SiteSparks = Readonly<Partial<Record<SparkName, Spark>>>;

/** The figures of sites. A figure without a value in these days is none. */
export function readSparks(db: Db, assets: readonly string[], now: number): Map<string, SiteSparks> {
  const to = dayNumber(utcDayOf(now));
  const from = to - DAYS + 1;
  const known = new Map<string, Partial<Record<SparkName, Spark>>>(assets.map((asset) => [asset, {}]));
  const put = (name: SparkName, source: string, found: readonly SeriesOfSite[]) => {
    for (const { asset, id, metric } of found) {
      const site = known.get(asset);
      if (site === undefined || site[name] !== undefined) continue;
      const days = unlessDamaged(() => stretchOf(readBlocks(db, id, from, to), from, to));
      if (days !== undefined && days.lastDay >= from) site[name] = { source, metric, days };
    }
  };
  const named = (source: string, metric: string) => listSeriesOf(db, assets, { source, metric });
  put("visitors", "analytics", named("analytics", "active_users"));
  // One engine's clicks beside another's are no sum: the first that has any stands.
  for (const source of ["search-console", "webmaster-tools"]) put("clicks", source, named(source, "clicks"));
  put("first", SENT, listFirstSeries(db, assets, { source: SENT, since: from }));
  return known;
}
