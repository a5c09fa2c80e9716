/** The readings of sites against their nightly reports: what differs, and putting it right. */
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import { parseUtcDay, type UtcDay } from "../lib/utc_day.ts";
import { wholly } from "../lib/wholly.ts";
import { SENT } from "../rules/mod.ts";
import {
  addSeries,
  BLOCK_DAYS,
  blockOf,
  changedBlock,
  type DayChange,
  type DayValue,
  daysOf,
  dropStray,
  EMPTY_BLOCK,
  firstDayOf,
  listBlocks,
  listSeries,
  nextAssetOf,
  readBlock,
  strayBlocks,
  unlessDamaged,
  writeBlock,
} from "../series/mod.ts";
import type { Pulse } from "./contract.ts";
import { dayOfFigures } from "./reading_store.ts";
import { findPulseById, type StoredPulse } from "./store.ts";
import { findHead, judgedUpTo } from "./waiting_store.ts";

/** Readings that are not those of their reports: in a block of days of a site, or of a series that is not known. */
export type ReadingDifference =
  | { readonly asset: string; readonly block: number; readonly text: string }
  | { readonly stray: number; readonly text: string };

/** The days that there are; beyond them the text order of days is no longer the order of time. */
const FIRST_DAY = dayNumber("0000-01-01" as UtcDay);
const LAST_DAY = dayNumber("9999-12-31" as UtcDay);

/** Reports that are taken apart before others may work. */
const REPORTS = 16;
/** Most metrics named in one text. */
const MOST_NAMED = 3;

// A seek in an index; listing the sites at once would read all of it.
const nextReporting = statement<{ asset: string | null }, [string]>(
  "SELECT min(asset) AS asset FROM pulse WHERE asset > ?",
);

const datesOf = statement<{ date: string }, [string]>("SELECT DISTINCT date FROM pulse WHERE asset = ?");

const judgedIn = statement<{ date: UtcDay; id: number }, [string, string, string, number]>(
  `SELECT date, max(id) AS id FROM pulse WHERE asset = ? AND date BETWEEN ? AND ? AND id <= ?
   GROUP BY date ORDER BY date`,
);

const waitingIn = statement<{ id: number }, [string, string, string, number]>(
  "SELECT id FROM pulse WHERE asset = ? AND date BETWEEN ? AND ? AND id > ? ORDER BY id",
);

/** A block of days of a site: what is stored of it, and the reports that it is made of. */
interface SiteBlock {
  readonly asset: string;
  readonly block: number;
  /** By metric; those that store nothing are left out. */
  readonly stored: readonly { readonly metric: string; readonly id: number; readonly days: Uint8Array }[];
  /** The newest judged report of each day, in order. */
  readonly reports: readonly StoredPulse[];
  /** Those of the days that wait to be judged, in the order of acceptance: their readings may be in place already. */
  readonly waiting: readonly StoredPulse[];
}

/**
 * Every site's days in turn: those whose readings differ from the newest judged report of the day, with an undefined wherever the
 * caller may let others work. Each block of days is read in one go.
 */
export function* readingDifferences(db: Db): Generator<ReadingDifference | undefined> {
  for (const asset of assetsWithDays(db)) {
    for (const block of blocksOf(db, asset)) {
      yield* differencesIn(gather(db, asset, block));
      yield undefined;
    }
  }
  for (const stray of strayBlocks(db)) {
    yield { stray, text: `there are readings of series ${stray}, which stands in no list` };
  }
}

/** The sites with reports or readings, by name. */
export function* assetsWithDays(db: Db): Generator<string> {
  for (let last = ""; ; ) {
    const reporting = nextReporting(db).first(last)?.asset ?? undefined;
    const reported = nextAssetOf(db, SENT, last);
    const [asset] = [reporting, reported].filter((one) => one !== undefined).sort();
    if (asset === undefined) return;
    last = onward("an index of pulse or series", last, asset);
    yield asset;
  }
}

/** The blocks for which a site has reports or readings. */
function blocksOf(db: Db, asset: string): number[] {
  const reported = datesOf(db)
    .all(asset)
    .flatMap(({ date }) => parseUtcDay(date) ?? [])
    .map((date) => blockOf(dayNumber(date)));
  const read = listSeries(db, asset, SENT).flatMap(({ id }) => listBlocks(db, id));
  return [...new Set([...reported, ...read])].sort((one, other) => one - other);
}

function gather(db: Db, asset: string, block: number): SiteBlock {
  const first = firstDayOf(block);
  const from = dayOfNumber(Math.max(first, FIRST_DAY));
  const to = dayOfNumber(Math.min(first + BLOCK_DAYS - 1, LAST_DAY));
  const upTo = judgedUpTo(db, asset);
  return {
    asset,
    block,
    stored: listSeries(db, asset, SENT)
      .map(({ id, metric }) => ({ id, metric, days: readBlock(db, id, block) }))
      .filter(({ days }) => days.length > 0),
    reports: judgedIn(db)
      .all(asset, from, to, upTo)
      .flatMap(({ id }) => findPulseById(db, id) ?? []),
    waiting: waitingIn(db)
      .all(asset, from, to, upTo)
      .flatMap(({ id }) => findPulseById(db, id) ?? []),
  };
}

/** The days of each metric as reports say them; with an undefined after some of the reports. */
function* dueOf(reports: readonly StoredPulse[]): Generator<undefined, Map<string, DayChange[]>> {
  const due = new Map<string, DayChange[]>();
  for (const [place, { date, body }] of reports.entries()) {
    const day = dayNumber(date);
    for (const [metric, figures] of Object.entries((JSON.parse(body) as Pulse).metrics)) {
      const days = due.get(metric);
      if (days === undefined) due.set(metric, [{ day, to: dayOfFigures(figures) }]);
      else days.push({ day, to: dayOfFigures(figures) });
    }
    if (place % REPORTS === REPORTS - 1) yield undefined;
  }
  return due;
}

function* differencesIn(site: SiteBlock): Generator<ReadingDifference | undefined> {
  const { asset, block, waiting } = site;
  const due = yield* dueOf(site.reports);
  const stored = new Map(site.stored.map(({ metric, days }) => [metric, days]));
  const differing = new Map<number, string[]>();
  for (const metric of new Set([...due.keys(), ...stored.keys()])) {
    const days = stored.get(metric) ?? EMPTY_BLOCK;
    const whole = changedBlock(EMPTY_BLOCK, due.get(metric) ?? []);
    if (Buffer.compare(days, whole) === 0) continue;
    const is = readable(days, block);
    if (is === undefined) {
      yield { asset, block, text: `${asset} about ${dayOfNumber(firstDayOf(block))}: ${metric} is damaged` };
      continue;
    }
    const must = daysOf(whole, block);
    for (const day of new Set([...is.keys(), ...must.keys()])) {
      if (!Bun.deepEquals(is.get(day), must.get(day)))
        differing.set(day, [...(differing.get(day) ?? []), metric]);
    }
  }
  for (const report of waiting) {
    const day = dayNumber(report.date);
    if (differing.has(day) && isInPlace(site, report)) differing.delete(day);
  }
  for (const [day, metrics] of [...differing].sort(([one], [other]) => one - other)) {
    yield { asset, block, text: differenceText(asset, dayOfNumber(day), metrics) };
  }
}

/** Whether the readings of a day are those of a report, all of them and no others. */
function isInPlace({ stored, block }: SiteBlock, { date, body }: StoredPulse): boolean {
  const day = dayNumber(date);
  const { metrics } = JSON.parse(body) as Pulse;
  const held = new Map(
    stored.flatMap(({ metric, days }) => {
      const value = readable(days, block)?.get(day);
      return value === undefined ? [] : [[metric, value] as const];
    }),
  );
  const due = new Map(Object.entries(metrics).map(([metric, figures]) => [metric, dayOfFigures(figures)]));
  return Bun.deepEquals(held, due);
}

/** The days of a block; undefined where its bytes are damaged. */
function readable(days: Uint8Array, block: number): Map<number, DayValue> | undefined {
  return unlessDamaged(() => daysOf(days, block));
}

function differenceText(asset: string, date: UtcDay, metrics: readonly string[]): string {
  const named = metrics.slice(0, MOST_NAMED).join(", ");
  const more = metrics.length > MOST_NAMED ? ` and ${metrics.length - MOST_NAMED} more` : "";
  return `${asset} on ${date}: not what its report says of ${named}${more}`;
}

/** Makes the readings of the blocks named those of their reports. */
export function mendReadings(tx: Tx, differences: readonly ReadingDifference[]): void {
  const done = new Set<string>();
  for (const difference of differences) {
    if ("stray" in difference) {
      dropStray(tx, difference.stray);
      continue;
    }
    const { asset, block } = difference;
    const key = JSON.stringify([asset, block]);
    if (!done.has(key)) mendBlock(tx, gather(tx, asset, block));
    done.add(key);
  }
}

/** The site's next report is judged before any other of it: its readings may as well be in place. */
function mendBlock(tx: Tx, { asset, block, stored, reports, waiting }: SiteBlock): void {
  const head = waiting.find(({ id }) => id === findHead(tx, asset));
  const all = head === undefined ? reports : [...reports.filter(({ date }) => date !== head.date), head];
  const due = wholly(dueOf(all.toSorted((one, other) => (one.date < other.date ? -1 : 1))));
  for (const { metric, id } of stored) if (!due.has(metric)) writeBlock(tx, id, block, EMPTY_BLOCK);
  const ids = new Map(listSeries(tx, asset, SENT).map(({ id, metric }) => [metric, id]));
  for (const [metric, changes] of due) {
    const last = changes.at(-1)?.day ?? firstDayOf(block);
    const id = ids.get(metric) ?? addSeries(tx, { asset, source: SENT, metric }, last);
    writeBlock(tx, id, block, changedBlock(EMPTY_BLOCK, changes));
  }
}
