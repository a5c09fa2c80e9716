/** The read models over nightly reports against the reports themselves: what differs, and putting it right. */
import { and, eq } from "drizzle-orm";
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { addDays, parseUtcDay, type UtcDay } from "../lib/utc_day.ts";
import type { Pulse } from "./contract.ts";
import { type NameDifference, nameDifferencesOf } from "./names_store.ts";
import { readPulseBody } from "./store.ts";
import { pulseFreshness, pulseReading } from "./table.ts";
import { judgedUpTo } from "./waiting_store.ts";

/** A day of a site whose readings are not those of its report. */
export interface ReadingDifference {
  readonly asset: string;
  readonly date: UtcDay;
  readonly text: string;
}

/** A site whose last report is not noted as it was. */
export interface FreshnessDifference {
  readonly asset: string;
  readonly text: string;
}

/** Days of a site whose readings are held at a time. */
const DAYS = 128;
/** Most metrics named in one text. */
const MOST_NAMED = 3;
/** After every day, and after what is none. */
const END = "\u{10ffff}";

// Two seeks in an index; listing the sites at once would read all of both.
const nextAsset = statement<{ asset: string | null }, [string, string]>(
  `SELECT min(asset) AS asset FROM (
     SELECT min(asset) AS asset FROM pulse WHERE asset > ?
     UNION ALL SELECT min(asset) FROM pulse_reading WHERE asset > ?)`,
);

const daysAfter = statement<{ date: UtcDay }, [string, string, number]>(
  "SELECT DISTINCT date FROM pulse WHERE asset = ? AND date > ? ORDER BY date LIMIT ?",
);

const judgedIn = statement<{ date: UtcDay; id: number }, [string, string, string, number]>(
  `SELECT date, max(id) AS id FROM pulse WHERE asset = ? AND date > ? AND date <= ? AND id <= ?
   GROUP BY date ORDER BY date`,
);

const readingsIn = statement<ReadingRow, [string, string, string]>(
  `SELECT asset, metric, date, pulse, last24h, avg7d, total FROM pulse_reading
   WHERE asset = ? AND date > ? AND date <= ?`,
);

const placeOf = statement<{ id: number }, [number, string, string]>(
  "SELECT id FROM pulse WHERE id = ? AND asset = ? AND date = ?",
);

type ReadingRow = typeof pulseReading.$inferSelect;

interface Report {
  readonly id: number;
  readonly body: string;
}

/**
 * Every site's days in turn: those whose readings differ from the newest judged report of the day, with an undefined after each
 * stretch of days, where the caller may let others work. Each stretch is read in one go.
 */
export function* readingDifferences(db: Db): Generator<ReadingDifference | undefined> {
  for (const asset of assetsWithDays(db)) {
    for (let after = ""; after !== END; ) {
      const to = onward(
        "an index of pulse",
        after,
        (daysAfter(db).all(asset, after, DAYS).at(-1)?.date ?? END) as string,
      );
      for (const { date, rows, due } of daysIn(db, asset, after, to, judgedUpTo(db, asset))) {
        const metrics = differingMetrics(rows, due);
        if (metrics.length > 0) yield { asset, date, text: differenceText(asset, date, metrics) };
      }
      yield undefined;
      after = to;
    }
  }
}

function* assetsWithDays(db: Db): Generator<string> {
  for (let last = ""; ; ) {
    const asset = nextAsset(db).first(last, last)?.asset ?? undefined;
    if (asset === undefined) return;
    last = onward("an index of pulse or pulse_reading", last, asset);
    yield asset;
  }
}

interface Day {
  readonly date: UtcDay;
  /** The readings as they stand. */
  readonly rows: readonly ReadingRow[];
  /** The readings as they must be. */
  readonly due: readonly ReadingRow[];
}

/** A site's days with a judged report or a reading, after one day and up to another. */
function daysIn(db: Db, asset: string, after: string, to: string, upTo: number): Day[] {
  const readings = Map.groupBy(readingsIn(db).all(asset, after, to), ({ date }) => date as UtcDay);
  const judged = new Map(
    judgedIn(db)
      .all(asset, after, to, upTo)
      .map(({ date, id }) => [date, id]),
  );
  return [...new Set([...judged.keys(), ...readings.keys()])].map((date) => {
    const rows = readings.get(date) ?? [];
    const judgedId = judged.get(date);
    const report =
      reportUnderWay(db, asset, date, rows, upTo) ??
      (judgedId === undefined ? undefined : reportOf(db, judgedId, asset, date));
    return { date, rows, due: report === undefined ? [] : readingsOf(asset, date, report) };
  });
}

function differenceText(asset: string, date: UtcDay, metrics: readonly string[]): string {
  const named = metrics.slice(0, MOST_NAMED).join(", ");
  const more = metrics.length > MOST_NAMED ? ` and ${metrics.length - MOST_NAMED} more` : "";
  return `${asset} on ${date}: not what its report says of ${named}${more}`;
}

function reportOf(db: Db, id: number, asset: string, date: UtcDay): Report | undefined {
  const row = placeOf(db).first(id, asset, date);
  return row === undefined ? undefined : { id, body: readPulseBody(db, { id, asset }) };
}

/** The report that is being judged right now: its readings are in place before it counts as judged. */
function reportUnderWay(
  db: Db,
  asset: string,
  date: UtcDay,
  rows: readonly ReadingRow[],
  upTo: number,
): Report | undefined {
  const newest = rows.reduce((id, row) => Math.max(id, row.pulse), 0);
  return newest > upTo ? reportOf(db, newest, asset, date) : undefined;
}

function readingsOf(asset: string, date: UtcDay, { id, body }: Report): ReadingRow[] {
  return Object.entries((JSON.parse(body) as Pulse).metrics).map(([metric, figures]) => ({
    asset,
    metric,
    date,
    pulse: id,
    last24h: stored(figures.last24h),
    avg7d: stored(figures.avg7d),
    total: stored(figures.total),
  }));
}

/** A figure as SQLite keeps it: absent is NULL, and -0 is 0. */
const stored = (figure: number | undefined) => (figure === undefined ? null : figure + 0);

function differingMetrics(rows: readonly ReadingRow[], due: readonly ReadingRow[]): string[] {
  const left = new Map(rows.map((row) => [row.metric, row]));
  const differing = due.filter((one) => {
    const row = left.get(one.metric);
    left.delete(one.metric);
    return row === undefined || !isSameReading(row, one);
  });
  return [...differing.map(({ metric }) => metric), ...left.keys()];
}

function isSameReading(a: ReadingRow, b: ReadingRow): boolean {
  return a.pulse === b.pulse && a.last24h === b.last24h && a.avg7d === b.avg7d && a.total === b.total;
}

/** Makes the readings of the days named those of their reports. */
export function mendReadings(tx: Tx, differences: readonly ReadingDifference[]): void {
  for (const { asset, date } of differences) {
    // No report can be of what is no day.
    const days =
      parseUtcDay(date) === undefined
        ? []
        : daysIn(tx, asset, addDays(date, -1), date, judgedUpTo(tx, asset));
    tx.delete(pulseReading)
      .where(and(eq(pulseReading.asset, asset), eq(pulseReading.date, date)))
      .run();
    for (const row of days.flatMap(({ due }) => due)) tx.insert(pulseReading).values(row).run();
  }
}

/** The names of every site that its readings do not lead to, with an undefined after each site. */
export function* nameDifferences(db: Db): Generator<NameDifference | undefined> {
  for (const asset of assetsWithDays(db)) {
    yield* nameDifferencesOf(db, asset);
    yield undefined;
  }
}

// When a report was seen to lie ahead of the clock is in no report: it is no part of what is compared.
const freshnessOf = statement<{ asset: string; received_at: number; date: string }, []>(
  `SELECT asset, (SELECT received_at FROM pulse WHERE id = (SELECT max(id) FROM pulse WHERE asset = sites.asset)) AS received_at,
     (SELECT max(date) FROM pulse WHERE asset = sites.asset) AS date
   FROM (SELECT DISTINCT asset FROM pulse) sites`,
);

/** Sites whose freshness is not that of their reports. */
export function* freshnessDifferences(db: Db): Generator<FreshnessDifference> {
  const rows = new Map(
    db
      .select({
        asset: pulseFreshness.asset,
        received_at: pulseFreshness.received_at,
        date: pulseFreshness.date,
      })
      .from(pulseFreshness)
      .all()
      .map((row) => [row.asset, row]),
  );
  for (const due of freshnessOf(db).all()) {
    const row = rows.get(due.asset);
    rows.delete(due.asset);
    if (!Bun.deepEquals(row, due)) {
      yield { asset: due.asset, text: `${due.asset}: its last report is not noted as it was` };
    }
  }
  for (const asset of rows.keys()) yield { asset, text: `${asset}: a last report is noted, but it has none` };
}

/** Makes the freshness of the sites named that of their reports. */
export function mendFreshness(tx: Tx, differences: readonly FreshnessDifference[]): void {
  const due = new Map(
    freshnessOf(tx)
      .all()
      .map((row) => [row.asset, row]),
  );
  for (const { asset } of differences) {
    tx.delete(pulseFreshness).where(eq(pulseFreshness.asset, asset)).run();
    const row = due.get(asset);
    if (row !== undefined) tx.insert(pulseFreshness).values(row).run();
  }
}
