/** The readings of nightly reports in the series: put in place report by report, in the order of acceptance, and replayed from them. */

import { dayNumber, dayOfNumber, parseUtcDay, type UtcDay } from "../base/time.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import { type ReadModel, scopesBy, tableModel } from "../store/read_model.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { findPulseById, judgedUpTo, type Pulse, pulseFreshness, type StoredPulse } from "./pulse.ts";
import {
  addSeries,
  BLOCK_ROWS,
  type BlockRow,
  listBlocks,
  listSeries,
  readBlocksOf,
  storedBlocks,
  writeBlock,
} from "./series.ts";
import {
  BLOCK_DAYS,
  blockOf,
  changedBlock,
  type DayChange,
  type DayValue,
  daysOf,
  EMPTY_BLOCK,
  firstDayOf,
  unlessDamaged,
} from "./series_days.ts";

/** What a report says of a metric, as a day of its series. The mean of seven days is shown from the report and kept nowhere else. */
export function dayOfFigures({ last24h, total }: Pulse["metrics"][string]): DayValue {
  const said = { value: unsigned(last24h), total: unsigned(total) };
  return last24h === undefined
    ? { state: "missing", basis: null, ...said }
    : { state: "final", basis: "reported", ...said };
}

/** JSON knows a zero with a sign, and a count has none. */
const unsigned = (count: number | undefined): number | null => (count === undefined ? null : count + 0);

/**
 * Puts a report's metrics in place of those of the revision before: a metric that is no longer sent is absent. A first revision has
 * nothing before it. Days that are damaged stay as they are until they are made anew from the reports, and stop no other metric.
 */
export function replaceReadings(
  tx: Tx,
  report: Pick<StoredPulse, "asset" | "date" | "revision">,
  metrics: Pulse["metrics"],
): void {
  const { asset, date, revision } = report;
  const day = dayNumber(date);
  const known = listSeries(tx, asset, SENT);
  const ids = new Map(known.map(({ id, metric }) => [metric, id]));
  const block = blockOf(day);
  const blocks = readBlocksOf(tx, [...ids.values()], day, day);
  const put = (id: number, to: DayValue | undefined) =>
    unlessDamaged(() => {
      const old = blocks.get(id)?.[0]?.days ?? EMPTY_BLOCK;
      const changed = changedBlock(old, [{ day, to }]);
      if (changed !== old) writeBlock(tx, id, block, changed);
    });
  for (const [metric, figures] of Object.entries(metrics)) {
    put(ids.get(metric) ?? addSeries(tx, { asset, source: SENT, metric }, day), dayOfFigures(figures));
  }
  if (revision === 1) return;
  for (const { id, metric } of known) if (!Object.hasOwn(metrics, metric)) put(id, undefined);
}

// The readings of sites, and when each last reported, against the nightly reports that lead to them.

/** The days that there are; beyond them the text order of days is no longer the order of time. */
const FIRST_DAY = dayNumber("0000-01-01" as UtcDay);
const LAST_DAY = dayNumber("9999-12-31" as UtcDay);

const nextReporting = "SELECT min(asset) FROM pulse WHERE asset > ?1";
const assets = scopesBy(
  [nextReporting, `SELECT min(asset) FROM series WHERE asset > ?1 AND source = '${SENT}'`],
  "",
);

const datesOf = statement<{ date: string }, [string]>("SELECT DISTINCT date FROM pulse WHERE asset = ?");

const judgedIn = statement<{ id: number }, [string, string, string, number]>(
  `SELECT max(id) AS id FROM pulse WHERE asset = ? AND date BETWEEN ? AND ? AND id <= ? GROUP BY date`,
);

const waitingDays = statement<{ date: UtcDay }, [string, string, string, number]>(
  "SELECT DISTINCT date FROM pulse WHERE asset = ? AND date BETWEEN ? AND ? AND id > ?",
);

/** 128 days of a site. */
interface SiteBlock {
  readonly asset: string;
  readonly block: number;
}

/** By metric. */
type Figures = ReadonlyMap<string, DayValue>;

const READING_MODEL: ReadModel<BlockRow, SiteBlock> = {
  ...BLOCK_ROWS,
  name: "readings",
  what: "readings against nightly reports",
  source: "its reports",
  *scopes(db) {
    for (const asset of assets(db)) for (const block of blocksOf(db, asset)) yield { asset, block };
  },
  stored: (db, { asset, block }) => storedBlocks(db, asset, SENT, block),
  replay: (db, { asset, block }) => {
    const changes = new Map<string, DayChange[]>();
    for (const [day, figures] of figuresIn(db, { asset, block })) {
      for (const [metric, to] of figures) {
        const days = changes.get(metric);
        if (days === undefined) changes.set(metric, [{ day, to }]);
        else days.push({ day, to });
      }
    }
    return [...changes].map(([metric, days]) => ({
      asset,
      source: SENT,
      metric,
      block,
      days: changedBlock(EMPTY_BLOCK, days),
    }));
  },
};

/** The blocks for which a site has reports or readings. */
function blocksOf(db: Db, asset: string): number[] {
  const reported = datesOf(db)
    .all(asset)
    .flatMap(({ date }) => parseUtcDay(date) ?? [])
    .map((date) => blockOf(dayNumber(date)));
  const read = listSeries(db, asset, SENT).flatMap(({ id }) => listBlocks(db, id));
  return [...new Set([...reported, ...read])].sort((one, other) => one - other);
}

/**
 * The figures of each day that there must be, in the order of days: those of its newest judged report. A day with reports that wait to be
 * judged is taken as it stands: judging puts their readings in place.
 */
function figuresIn(db: Db, { asset, block }: SiteBlock): [day: number, Figures][] {
  const first = firstDayOf(block);
  const from = dayOfNumber(Math.max(first, FIRST_DAY));
  const to = dayOfNumber(Math.min(first + BLOCK_DAYS - 1, LAST_DAY));
  const upTo = judgedUpTo(db, asset);
  const judged = judgedIn(db)
    .all(asset, from, to, upTo)
    .flatMap(({ id }) => findPulseById(db, id) ?? []);
  const figures = new Map(judged.map((report) => [dayNumber(report.date), figuresOf(report)]));
  const waiting = waitingDays(db).all(asset, from, to, upTo);
  if (waiting.length > 0) {
    const stored = storedFigures(db, { asset, block });
    for (const { date } of waiting) figures.set(dayNumber(date), stored.get(dayNumber(date)) ?? new Map());
  }
  return [...figures].sort(([one], [other]) => one - other);
}

function figuresOf({ body }: StoredPulse): Figures {
  const { metrics } = JSON.parse(body) as Pulse;
  return new Map(Object.entries(metrics).map(([metric, figures]) => [metric, dayOfFigures(figures)]));
}

/** What is stored of each day; blocks that are damaged hold nothing. */
function storedFigures(db: Db, { asset, block }: SiteBlock): Map<number, Map<string, DayValue>> {
  const days = new Map<number, Map<string, DayValue>>();
  for (const row of storedBlocks(db, asset, SENT, block)) {
    for (const [day, value] of unlessDamaged(() => daysOf(row.days, block)) ?? []) {
      const figures = days.get(day);
      if (figures === undefined) days.set(day, new Map([[row.metric, value]]));
      else figures.set(row.metric, value);
    }
  }
  return days;
}

type Freshness = Pick<typeof pulseFreshness.$inferSelect, "asset" | "received_at">;

const lastReport = statement<Freshness, [string]>(
  "SELECT asset, received_at FROM pulse WHERE id = (SELECT max(id) FROM pulse WHERE asset = ?)",
);

/** When a report was seen to lie ahead of the clock is in no report: it is no part of what is compared. */
const FRESHNESS_MODEL: ReadModel<Freshness, string> = tableModel<Freshness, string>({
  name: "freshness",
  what: "last reports against nightly reports",
  source: "its reports",
  table: pulseFreshness,
  columns: ["asset", "received_at"],
  by: { column: "asset", next: [nextReporting] },
  named: ({ asset }) => `the last report of ${asset}`,
  replay: (db, asset) => lastReport(db).all(asset),
});

/** Readings and freshness. */
export const PULSE_MODELS = [READING_MODEL, FRESHNESS_MODEL];
