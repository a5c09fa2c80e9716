/** How many sites' reports of each date came to what, against the days of the targets, which triggers count as they are written. */
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { wholly } from "../lib/wholly.ts";
import { targetsById } from "./target_store.ts";

/** A date whose counts are not those of its days. */
export interface TallyDifference {
  readonly date: number;
  readonly text: string;
}

interface Count {
  readonly provider: string;
  readonly family: string;
  readonly outcome: number;
  readonly category: number;
  readonly sites: number;
}

interface Day extends Pick<Count, "outcome" | "category"> {
  readonly target: number;
  /** The row of `archive_report`. */
  readonly latest: number;
}
type Told = Day & Pick<Count, "provider" | "family">;

/** Days that are read in one go. */
const SLICE = 512;

const nextDate = statement<{ date: number | null }, [number, number]>(
  `SELECT min(date) AS date FROM (SELECT min(date) AS date FROM archive_day WHERE date > ?
     UNION ALL SELECT min(date) FROM archive_tally WHERE date > ?)`,
);
const daysOn = statement<Day, [number, number, number]>(
  `SELECT d.target, d.latest, r.outcome, coalesce(r.category, -1) AS category
   FROM archive_day d JOIN archive_report r ON r.id = d.latest WHERE d.date = ? AND d.target > ? ORDER BY d.target LIMIT ?`,
);
const countsOn = statement<Count, [number]>(
  "SELECT provider, family, outcome, category, sites FROM archive_tally WHERE date = ? AND sites <> 0",
);
const dropOn = statement<never, [number]>("DELETE FROM archive_tally WHERE date = ?");
const put = statement<never, [number, string, string, number, number, number]>(
  "INSERT INTO archive_tally (date, provider, family, outcome, category, sites) VALUES (?, ?, ?, ?, ?, ?)",
);

/** Every date whose counts differ; an undefined stands where others may work. */
export function* tallyDifferences(db: Db): Generator<TallyDifference | undefined> {
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const date = nextDate(db).first(last, last)?.date ?? undefined;
    if (date === undefined) return;
    last = onward("an index of the archive", last, date);
    const due = yield* dueOn(db, date);
    const isSame = Bun.deepEquals(inOrder(countsOn(db).all(date)), inOrder(due));
    yield isSame
      ? undefined
      : { date, text: `how many reports of ${dayOfNumber(date)} came to what is not what their days say` };
  }
}

/** Of a report over two connections the later attempt counts. */
function* dueOn(db: Db, date: number): Generator<undefined, Count[]> {
  const targets = targetsById(db);
  const latest = new Map<string, Told>();
  for (let last = -1, isMore = true; isMore; ) {
    const days = daysOn(db).all(date, last, SLICE);
    for (const day of days) {
      last = day.target;
      const target = targets.get(day.target);
      if (target === undefined) continue;
      const { asset, provider, family } = target;
      const name = JSON.stringify([asset, provider, family]);
      if (day.latest > (latest.get(name)?.latest ?? -1)) latest.set(name, { ...day, provider, family });
    }
    isMore = days.length === SLICE;
    yield undefined;
  }
  const alike = Map.groupBy(latest.values(), (told) => textOf(told));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, sites: 1 + others.length }],
  );
}

const textOf = ({ provider, family, outcome, category }: Omit<Count, "sites">): string =>
  JSON.stringify([provider, family, outcome, category]);

const inOrder = (counts: readonly Count[]): string[] =>
  counts.map((count) => `${textOf(count)} ${count.sites}`).sort();

/** Counts the dates named anew. */
export function mendTally(tx: Tx, found: readonly TallyDifference[]): void {
  for (const { date } of found) {
    const due = wholly(dueOn(tx, date));
    dropOn(tx).run(date);
    for (const { provider, family, outcome, category, sites } of due) {
      put(tx).run(date, provider, family, outcome, category, sites);
    }
  }
}
