/**
 * What an answer makes of the days of a site's figures: which change, and what the attempt came to. Pure.
 *
 * A day is provisional until it is settled: for analytics, which names no final day, when it is collected two days later or more in
 * the property's own calendar; for search console before the first day that its provider calls incomplete, and never today; for
 * webmaster tools before the newest day it returned. What was final stays final: a later answer may tell another value of it, and that is a
 * revision.
 *
 * A day that an answer leaves out is a zero of its counts only where that can be known: it is settled and past, after the property's first day
 * with data, and the answer is whole. One that withholds small rows is not, nor one that leaves out what was told before: an answer
 * without any row for a site that had visitors is a fault of its source, and takes nothing away. Figures that are no counts have no
 * value on such a day. A day that is left out and not settled is missing.
 *
 * Where a property's time zone changed, the day of the change and the day before are excluded for good, their values kept.
 */

import { calendarDay } from "../base/time.ts";
import {
  type DailyReport,
  type DayRange,
  NO_COUNTS,
  type Provider,
  type RawDaily,
  SIGNAL_METRICS,
} from "../providers/adapter.ts";
import type { Fault } from "../providers/faults.ts";
import { parseDaily } from "../providers/providers.ts";
import { findSeries, readBlocks } from "../reports/series.ts";
import { daysOf } from "../reports/series_days.ts";
import type { Db } from "../store/store.ts";
import { latestAttempt } from "./attempts.ts";
import {
  type DayFigure,
  findKnownProperty,
  type KnownProperty,
  listTargets,
  type ObservedFigure,
} from "./observations.ts";

/** What was stored of a site and source before. */
export interface Held {
  /** The days of each figure, by its place in `SIGNAL_METRICS`; at least those of the answered range. */
  readonly figures: readonly ReadonlyMap<number, DayFigure>[];
  /** Whether the newest of it was told of the same property. */
  readonly isSameProperty: boolean;
  /** The first day that the property ever had data for. */
  readonly firstData: number | undefined;
  /** When something of the property last changed, in milliseconds since the epoch. */
  readonly changedAt: number | undefined;
  /** The time zone in which the property last told its days, and when it last answered in it. */
  readonly zone: { readonly name: string; readonly answeredAt: number } | undefined;
}

/** What an answer came to. */
export interface Decision {
  readonly outcome: "changed" | "unchanged" | "empty" | "source_lag";
  /** What changes, by day and place: none where only the time zone did. */
  readonly figures: readonly ObservedFigure[];
  /** How many of them have another value than before; the others have another state, or basis, of the same one. */
  readonly changed: number;
  readonly firstData: number | undefined;
  /** Whether a day that counts, or counted, changes: the rules judge it anew. */
  readonly isForRules: boolean;
  /** The days that a change of the time zone distorts, both included. */
  readonly distorted: DayRange | undefined;
  /** The newest day that is settled by what the answer says of it; undefined where it settles none. */
  readonly covered: number | undefined;
}

/** How many days after a day analytics has it whole. */
export const SETTLE_DAYS = 2;

/** How far behind today the newest settled day of a source usually is; one that is further behind lags. In days. */
const USUAL_LAG: Readonly<Record<Provider, number>> = {
  analytics: SETTLE_DAYS,
  "search-console": 3,
  "webmaster-tools": 4,
};

const ABSENT: DayFigure = { state: "missing", basis: null, value: null };
const NO_VISITS: DayFigure = { state: "final", basis: "omitted", value: 0 };

/** Judges an answer whose collection began at `now`. */
export function decide(report: DailyReport, held: Held, now: number): Decision {
  const today = calendarDay(now, report.timeZone);
  const answer = new Answer(report, held, today);
  const distorted = distortedBy(report, held, now, today);
  const figures: ObservedFigure[] = [];
  let changed = 0;
  let isForRules = false;
  for (const day of daysToJudge(answer, distorted)) {
    for (const place of answer.places) {
      const was = held.figures[place]?.get(day);
      const told = answer.figureOf(day, place);
      const isExcluded = isWithin(day, distorted) || (held.isSameProperty && was?.state === "excluded");
      const kept = told === undefined || told.value === null ? (was ?? ABSENT) : told;
      const to = isExcluded ? { ...kept, state: "excluded" as const } : told;
      if (to === undefined || isSame(to, was ?? ABSENT)) continue;
      figures.push({ day, place, to });
      if (to.value !== (was ?? ABSENT).value) changed++;
      isForRules ||= isCounting(to) || isCounting(was);
    }
  }
  const { firstData } = answer;
  const outcome =
    changed > 0 ? "changed" : isTold({ figures, distorted }) ? "unchanged" : answer.withoutChange(now);
  return { outcome, figures, changed, firstData, isForRules, distorted, covered: answer.newestCovered() };
}

/** Whether an answer told something that was not known: a value, that one settled, or another time zone. */
export const isTold = ({ figures, distorted }: Pick<Decision, "figures" | "distorted">) =>
  figures.length > 0 || distorted !== undefined;

const isWithin = (day: number, span: DayRange | undefined) =>
  span !== undefined && day >= span.from && day <= span.to;

const isSame = (one: DayFigure, other: DayFigure) =>
  one.state === other.state && one.basis === other.basis && one.value === other.value;

/** Whether the rules look at it, or make a difference of it. */
const isCounting = (figure: DayFigure | undefined) =>
  figure?.state === "final" || figure?.state === "excluded";

/** The days of the answered range up to today, and those that are distorted, ascending. */
function* daysToJudge(answer: Answer, distorted: DayRange | undefined): Generator<number> {
  const from = Math.min(answer.from, distorted?.from ?? answer.from);
  const to = Math.max(answer.to, distorted?.to ?? answer.to);
  for (let day = from; day <= to; day++) {
    if ((day >= answer.from && day <= answer.to) || isWithin(day, distorted)) yield day;
  }
}

/**
 * The days that a change of the time zone distorts: the day of the change and the day before. It came at any moment since the last
 * answer in the old zone; where the two calendars disagree about today, both days are of the change.
 */
function distortedBy(report: DailyReport, held: Held, now: number, today: number): DayRange | undefined {
  const { zone } = held;
  if (zone === undefined || report.timeZone === undefined || zone.name === report.timeZone) return undefined;
  const earliest = calendarDay(Math.min(zone.answeredAt, now), report.timeZone);
  return { from: earliest - 1, to: Math.max(today, calendarDay(now, zone.name)) };
}

/** What an answer says of each day. */
class Answer {
  readonly from: number;
  /** The last day of the range, and never after today. */
  readonly to: number;
  readonly places: readonly number[];
  readonly firstData: number | undefined;
  readonly #report: DailyReport;
  readonly #held: Held;
  readonly #today: number;
  readonly #told: ReadonlyMap<number, readonly (number | null)[]>;
  readonly #newest: number | undefined;
  readonly #isCount: readonly boolean[];
  /** Whether it leaves out nothing that was told before, nor what it withholds. */
  readonly #isWhole: boolean;

  constructor(report: DailyReport, held: Held, today: number) {
    const metrics: readonly string[] = SIGNAL_METRICS[report.provider];
    this.places = metrics.map((_, place) => place);
    this.#isCount = metrics.map((metric) => !NO_COUNTS.includes(metric));
    this.from = report.from;
    this.to = Math.min(report.to, today);
    this.#report = report;
    this.#held = held;
    this.#today = today;
    const days = report.days.filter(({ day }) => day >= this.from && day <= this.to);
    this.#told = new Map(days.map(({ day, values }) => [day, values]));
    this.#newest = days.at(-1)?.day;
    const first = days.find(({ values }) => values.some((value) => value !== null))?.day;
    const known = held.firstData;
    this.firstData = first === undefined || (known !== undefined && known < first) ? known : first;
    this.#isWhole = !report.notes.includes("thresholded") && !this.#leavesOutTold();
  }

  /** What a day's figure is to be; undefined where the answer leaves it as it is. */
  figureOf(day: number, place: number): DayFigure | undefined {
    if (day < this.from || day > this.to) return undefined;
    const was = this.#held.isSameProperty ? this.#held.figures[place]?.get(day) : undefined;
    const values = this.#told.get(day);
    if (values !== undefined) {
      // A clock that was ahead may have settled days that had yet to come: none of them is over for that.
      const wasFinal = was?.state === "final" && day < this.#today;
      const isFinal = wasFinal || this.#isSettled(day);
      const value = values[place] ?? null;
      if (value !== null) return { state: isFinal ? "final" : "provisional", basis: "reported", value };
      return isCounting(was) ? undefined : ABSENT;
    }
    if (!this.#saysByOmission(day)) return undefined;
    // What was settled stays as it was told.
    if (isCounting(was)) return undefined;
    return this.#isSettled(day) && day < this.#today && this.#isCount[place] === true ? NO_VISITS : ABSENT;
  }

  /** What it came to where nothing changed. */
  withoutChange(now: number): "unchanged" | "empty" | "source_lag" {
    if (this.#told.size === 0) return "empty";
    const { changedAt } = this.#held;
    // Twice in one day nothing new is due.
    const isDue = changedAt !== undefined && calendarDay(changedAt, this.#report.timeZone) < this.#today;
    const lag = this.#today - this.#newestSettled();
    return isDue && changedAt <= now && lag > USUAL_LAG[this.#report.provider] ? "source_lag" : "unchanged";
  }

  /** The newest day that is over and that the answer speaks of: by a value, or by leaving it out where that says something. */
  newestCovered(): number | undefined {
    for (let day = Math.min(this.to, this.#today - 1); day >= this.from; day--) {
      if (!this.#isSettled(day)) continue;
      const values = this.#told.get(day);
      const isTold =
        values === undefined ? this.#saysByOmission(day) : values.some((value) => value !== null);
      if (isTold) return day;
    }
    return undefined;
  }

  /** Whether a day that is left out says something. */
  #saysByOmission(day: number): boolean {
    return this.#isWhole && this.firstData !== undefined && day >= this.firstData;
  }

  #newestSettled(): number {
    for (let day = this.to; day >= this.from; day--) {
      if (isCounting(this.#held.figures[0]?.get(day))) return day;
    }
    return this.from - 1;
  }

  #isSettled(day: number): boolean {
    const { provider, firstIncomplete } = this.#report;
    const newest = this.#newest ?? Number.NEGATIVE_INFINITY;
    switch (provider) {
      case "analytics":
        return day <= this.#today - SETTLE_DAYS;
      case "search-console":
        return day < this.#today && (firstIncomplete === undefined ? day <= newest : day < firstIncomplete);
      case "webmaster-tools":
        return day < newest;
    }
  }

  /**
   * Whether the answer is without days that it had before. What was provisional may go when it settles; what was final does not, and an answer
   * without any day is not believed where there were some.
   */
  #leavesOutTold(): boolean {
    const { isSameProperty, firstData, figures } = this.#held;
    if (!isSameProperty || firstData === undefined) return false;
    for (let day = Math.max(this.from, firstData); day <= this.to; day++) {
      if (this.#told.has(day)) continue;
      for (const place of this.places) {
        const was = figures[place]?.get(day);
        if (was?.basis !== "reported" || (was.value ?? 0) <= 0) continue;
        if (isCounting(was) || this.#told.size === 0) return true;
      }
    }
    return false;
  }
}

/** From a provider's answer as it came to what it changes: reads what is stored of the site, and writes nothing. */

/** A site's answer. Plain data: it is handed to another thread. */
export interface AnswerQuestion {
  readonly asset: string;
  readonly raw: RawDaily;
}

/** What an answer comes to: what changes, or why it is none. Plain data. */
export type Decided =
  | {
      readonly ok: true;
      readonly decision: Decision;
      /** '' where the provider names none. */
      readonly timeZone: string;
      /** The newest observation of the site and source that was seen: another one since makes it void. */
      readonly newest: number;
    }
  | { readonly ok: false; readonly fault: Fault };

/** Dates of two calendars lie two days apart at most (UTC-12 and UTC+14); a change of the time zone excludes days up to the later. */
const DAYS_AHEAD = 2;

/** Reads an answer and holds it against what is stored. */
export function decideAnswer(db: Db, { asset, raw }: AnswerQuestion): Decided {
  const read = parseDaily(raw);
  if (!read.ok) return read;
  const report = read.value;
  const of = { asset, provider: raw.provider, property: raw.property };
  const known = findKnownProperty(db, of);
  const decision = decide(report, heldOf(db, of, known, report), raw.askedAt);
  return { ok: true, decision, timeZone: report.timeZone ?? "", newest: known.newest };
}

function heldOf(
  db: Db,
  of: { readonly asset: string; readonly provider: RawDaily["provider"]; readonly property: string },
  known: KnownProperty,
  report: DailyReport,
): Held {
  const { asset, provider } = of;
  const figures = SIGNAL_METRICS[provider].map((metric) => {
    const days = new Map<number, DayFigure>();
    const series = findSeries(db, { asset, source: provider, metric });
    if (series === undefined) return days;
    for (const { block, days: bytes } of readBlocks(db, series, report.from, report.to + DAYS_AHEAD)) {
      for (const [day, figure] of daysOf(bytes, block)) days.set(day, figure);
    }
    return days;
  });
  return {
    figures,
    isSameProperty: known.isSameProperty,
    firstData: known.firstData,
    changedAt: known.last?.at,
    zone: zoneOf(db, of, known, report),
  };
}

/** In which zone the property last told its days, and when it last answered in it: that is asked only where the zone is another one. */
function zoneOf(
  db: Db,
  of: { readonly asset: string; readonly provider: RawDaily["provider"]; readonly property: string },
  { last }: KnownProperty,
  report: DailyReport,
): Held["zone"] {
  if (last === undefined) return undefined;
  const zone = { name: last.timeZone, answeredAt: last.at };
  if (zone.name === report.timeZone) return zone;
  const answered = listTargets(db, of)
    .filter(({ property, timeZone }) => property === of.property && timeZone === zone.name)
    .map(({ id }) => latestAttempt(db, id))
    .flatMap((attempt) => (attempt?.category === null ? attempt.startedAt : []));
  return { ...zone, answeredAt: Math.max(zone.answeredAt, ...answered) };
}
