/** How dates and reports stand, against the manifest that both are made of. */
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { wholly } from "../lib/wholly.ts";
import {
  type DayRow,
  type DayStand,
  dayAfter,
  dayRow,
  daysOfTarget,
  dropDay,
  putDay,
  type TakenIn,
} from "./day_store.ts";
import { outcomeAt, type ReportRecord } from "./report_row.ts";
import {
  dropStanding,
  findStanding,
  putStanding,
  type ReportStand,
  type StandingRow,
  standAfter,
} from "./standing_store.ts";
import { targetsById } from "./target_store.ts";

/** A target of which something is not as its attempts have it. */
export interface ArchiveDifference {
  readonly target: number;
  readonly text: string;
}

/** What the attempts of a target come to. */
interface Due {
  readonly days: ReadonlyMap<number, DayRow>;
  readonly standing: StandingRow | undefined;
}

type Attempt = Omit<TakenIn, "outcome"> & Pick<ReportRecord, "outcome">;

/** Attempts read in one go. */
const SLICE = 512;
const attemptsAfter = statement<Attempt, [number, number, number, number]>(
  `SELECT id, target, date, attempted_at AS attemptedAt, attempted_at + took_ms AS endedAt, outcome
   FROM archive_report WHERE target = ? AND (date, id) > (?, ?) ORDER BY date, id LIMIT ?`,
);
const nextTarget = statement<{ target: number | null }, [number, number, number]>(
  `SELECT min(target) AS target FROM (SELECT min(target) AS target FROM archive_report WHERE target > ?
     UNION ALL SELECT min(target) FROM archive_day WHERE target > ? UNION ALL SELECT min(target) FROM archive_standing WHERE target > ?)`,
);

/** Everything in the two read models that is not what the manifest says; an undefined stands where others may work. */
export function* archiveDifferences(db: Db): Generator<ArchiveDifference | undefined> {
  for (let last = -1; ; ) {
    const target = nextTarget(db).first(last, last, last)?.target ?? undefined;
    if (target === undefined) return;
    last = onward("an index of the archive", last, target);
    const due = yield* dueOf(db, target);
    yield* differencesOf(db, target, due);
    yield undefined;
  }
}

function* differencesOf(db: Db, target: number, due: Due): Generator<ArchiveDifference> {
  const of = targetsById(db).get(target);
  const name = of === undefined ? `target ${target}` : `${of.asset}, ${of.provider}: ${of.family}`;
  const held = new Map(daysOfTarget(db, target).map((day) => [day.date, day]));
  for (const date of new Set([...held.keys(), ...due.days.keys()])) {
    if (Bun.deepEquals(held.get(date), due.days.get(date))) continue;
    yield { target, text: `${name} of ${dayOfNumber(date)} does not stand as its attempts say` };
  }
  if (Bun.deepEquals(findStanding(db, target), due.standing)) return;
  yield { target, text: `${name} does not stand as its attempts say` };
}

function* dueOf(db: Db, target: number): Generator<undefined, Due> {
  const stands = new Map<number, DayStand>();
  const all: TakenIn[] = [];
  for (let [date, id] = [Number.MIN_SAFE_INTEGER, 0]; ; ) {
    const attempts = attemptsAfter(db).all(target, date, id, SLICE);
    for (const attempt of attempts) {
      const taken = { ...attempt, outcome: outcomeAt(attempt.outcome) };
      stands.set(attempt.date, dayAfter(stands.get(attempt.date), taken));
      all.push(taken);
    }
    const end = attempts.at(-1);
    if (end === undefined || attempts.length < SLICE) break;
    [date, id] = [end.date, end.id];
    yield undefined;
  }
  const days = new Map([...stands].map(([date, day]) => [date, dayRow(day)]));
  const stand = all
    .sort((one, other) => one.id - other.id)
    .reduce<ReportStand | undefined>(standAfter, undefined);
  if (stand === undefined) return { days, standing: undefined };
  const failing = [...days.values()].reduce((sum, day) => sum + day.failing, 0);
  const last_date = Math.max(...days.keys());
  const { latest, usable } = stand;
  return {
    days,
    standing: { target, dates: days.size, failing, last_date, latest: latest.id, usable: usable?.id ?? null },
  };
}

/** Makes the two read models of the targets named what the manifest says. */
export function mendArchive(tx: Tx, differences: readonly ArchiveDifference[]): void {
  for (const target of new Set(differences.map((one) => one.target))) {
    const { days, standing } = wholly(dueOf(tx, target));
    for (const { date } of daysOfTarget(tx, target)) if (!days.has(date)) dropDay(tx, target, date);
    for (const day of days.values()) putDay(tx, day);
    if (standing === undefined) dropStanding(tx, target);
    else putStanding(tx, standing);
  }
}
