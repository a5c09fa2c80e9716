/** Which metrics a site has from a source, and when each was last heard of: each question is one query, whatever the history. */
import { type Db, statement, type Tx } from "../db/mod.ts";

/** Whose metrics. */
export interface MetricsOf {
  readonly asset: string;
  readonly source: string;
}

const namesOf = statement<{ metric: string }, [string, string]>(
  "SELECT metric FROM series WHERE asset = ? AND source = ? ORDER BY metric",
);

/** Metrics that most sites do not have more of: they are read at once, which costs half of seeking each. */
const FEW = 48;

const firstOf = statement<{ metric: string; last_day: number }, [string, string]>(
  `SELECT metric, last_day FROM series WHERE asset = ? AND source = ? LIMIT ${FEW + 1}`,
);

const knownOf = statement<{ known: number; oldest: number | null }, [string, string, string]>(
  `SELECT count(*) AS known, min(s.last_day) AS oldest
   FROM json_each(?) sent CROSS JOIN series s WHERE s.asset = ? AND s.source = ? AND s.metric = sent.value`,
);

const countSince = statement<{ names: number }, [string, string, number]>(
  "SELECT count(*) AS names FROM series WHERE asset = ? AND source = ? AND last_day >= ?",
);

const countSentSince = statement<{ names: number }, [string, string, string, number]>(
  `SELECT count(*) AS names FROM json_each(?) sent CROSS JOIN series s
   WHERE s.asset = ? AND s.source = ? AND s.metric = sent.value AND s.last_day >= ?`,
);

const putNames = statement<never, [string, string, number, string]>(
  `INSERT INTO series (asset, source, metric, last_day) SELECT ?, ?, sent.value, ? FROM json_each(?) sent WHERE true
   ON CONFLICT (asset, source, metric) DO UPDATE SET last_day = excluded.last_day WHERE excluded.last_day > last_day`,
);

/** The names of a site's metrics from a source, in order. */
export function listMetrics(db: Db, { asset, source }: MetricsOf): string[] {
  return namesOf(db)
    .all(asset, source)
    .map(({ metric }) => metric);
}

/** How many of these metrics are known, and the day that the one heard of longest ago was last noted on. */
export function findKnown(
  db: Db,
  { asset, source }: MetricsOf,
  metrics: readonly string[],
): { readonly known: number; readonly oldest: number | null } {
  const first = firstOf(db).all(asset, source);
  if (first.length > FEW) {
    return knownOf(db).first(JSON.stringify(metrics), asset, source) ?? { known: 0, oldest: null };
  }
  const asked = new Set(metrics);
  const days = first.flatMap(({ metric, last_day }) => (asked.has(metric) ? [last_day] : []));
  return { known: days.length, oldest: days.length === 0 ? null : Math.min(...days) };
}

/** How many metrics were noted on a day or later: all of them, or of those named. */
export function countNoted(
  db: Db,
  { asset, source }: MetricsOf,
  since: number,
  metrics?: readonly string[],
): number {
  const row =
    metrics === undefined
      ? countSince(db).first(asset, source, since)
      : countSentSince(db).first(JSON.stringify(metrics), asset, source, since);
  return row?.names ?? 0;
}

/** Notes that these metrics had a reading on a day; one that was noted on a later day stays there. */
export function noteMetrics(
  tx: Tx,
  { asset, source }: MetricsOf,
  metrics: readonly string[],
  day: number,
): void {
  putNames(tx).run(asset, source, day, JSON.stringify(metrics));
}

/** A series of a site. */
export interface SeriesOfSite {
  readonly asset: string;
  readonly id: number;
  readonly metric: string;
}

const ofSites = statement<SeriesOfSite, [string, string, string]>(
  `SELECT s.asset, s.id, s.metric FROM json_each(?) asked CROSS JOIN series s
   WHERE s.asset = asked.value AND s.source = ? AND s.metric = ?`,
);

/** The series of one metric from one source, of each of these sites that has it. */
export function listSeriesOf(
  db: Db,
  assets: readonly string[],
  of: { readonly source: string; readonly metric: string },
): SeriesOfSite[] {
  return ofSites(db).all(JSON.stringify(assets), of.source, of.metric);
}

const firstOfSites = statement<SeriesOfSite, [string, string, number]>(
  `SELECT s.asset, s.id, s.metric FROM json_each(?) asked CROSS JOIN series s ON s.id = (
     SELECT min(id) FROM (
       SELECT id, last_day FROM series WHERE asset = asked.value AND source = ? LIMIT ${FEW}
     ) WHERE last_day >= ?
   )`,
);

/** Of each of these sites the metric that it told first, of those from a source that it told of on a day or later; of very many names, the first by the alphabet are looked at. */
export function listFirstSeries(
  db: Db,
  assets: readonly string[],
  of: { readonly source: string; readonly since: number },
): SeriesOfSite[] {
  return firstOfSites(db).all(JSON.stringify(assets), of.source, of.since);
}
