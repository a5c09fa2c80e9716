/** The figures of a site as the read API lists them, newest day first: each day as it stands, or every value that it ever had. */

import { calendarDay } from "../base/time.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS, WINDOW_DAYS } from "../providers/adapter.ts";
import { findFirstBlock, findLastBlock, listSeries, type StoredBlock } from "../reports/series.ts";
import { DayReader, type SeriesBasis, type SeriesState } from "../reports/series_days.ts";
import { type Db, statement } from "../store/store.ts";
import { latestAttempt, PULL_OUTCOMES } from "./attempts.ts";
import {
  type DayFigure,
  findNewest,
  type KnownTarget,
  listObservations,
  listTargets,
  observedIn,
  type SignalsOf,
  type ToldFigure,
  toldBetween,
} from "./observations.ts";

/** One figure of one day. Where nothing was ever told of it, it is missing and has no revision. */
export interface ListedSignal {
  readonly source: Provider;
  readonly metric: string;
  /** Day number, of the provider's calendar. */
  readonly day: number;
  /** '' where the provider names none. */
  readonly timeZone: string;
  readonly property: string;
  readonly state: SeriesState;
  readonly basis: SeriesBasis | null;
  readonly value: number | null;
  /** When it was told as it stands, in milliseconds since the epoch; null where nothing was told. */
  readonly observedAt: number | null;
  readonly revision: number | null;
}

/** What is listed. */
interface SignalFilter {
  readonly asset: string;
  readonly provider?: Provider | undefined;
  readonly metric?: string | undefined;
  /** Day numbers, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Values that others took the place of, too. */
  readonly allRevisions: boolean;
}

/** Where a row stands in the list. */
export type SignalPlace = Pick<ListedSignal, "day" | "source" | "metric" | "revision">;

/** Days whose every revision is read in one go. */
const REVISED_DAYS = 8;

/** What is known of a source as a whole. */
interface Source {
  readonly provider: Provider;
  readonly metrics: readonly string[];
  readonly firstDay: number;
  /** The last day that an answer covered. */
  readonly lastDay: number;
  /** From this day on the latest answer covers every day: one of which nothing is stored is missing. */
  readonly coveredFrom: number;
  readonly target: KnownTarget;
}

/**
 * The rows of a list after a place, in its order, as far as they are read; an undefined stands where others may work. `about` is how many will
 * be read: so many days are looked up at once.
 */
export function* listSignals(
  db: Db,
  filter: SignalFilter,
  about: number,
  after?: SignalPlace,
): Generator<ListedSignal | undefined> {
  const sources = sourcesOf(db, filter);
  const metrics = sources.reduce((sum, source) => sum + source.metrics.length, 0);
  if (metrics === 0) return;
  const first = Math.max(
    filter.from ?? Number.NEGATIVE_INFINITY,
    Math.min(...sources.map(({ firstDay }) => firstDay)),
  );
  const last = Math.min(
    filter.to ?? Number.POSITIVE_INFINITY,
    after?.day ?? Number.POSITIVE_INFINITY,
    Math.max(...sources.map(({ lastDay }) => lastDay)),
  );
  const step = filter.allRevisions ? REVISED_DAYS : Math.ceil((about + 1) / metrics);
  for (let to = last; to >= first; to -= step) {
    const days = { from: Math.max(first, to - step + 1), to };
    const told = sources.map(() => new Map<string, ToldFigure[]>());
    for (const [place, source] of sources.entries())
      yield* gather(db, filter.asset, source, days, told[place]);
    for (let day = days.to; day >= days.from; day--) {
      for (const [place, source] of sources.entries()) {
        for (const row of rowsOf(source, day, told[place] ?? new Map(), filter)) {
          if (after === undefined || isAfter(row, after)) yield row;
        }
      }
    }
    yield undefined;
  }
}

function* gather(
  db: Db,
  asset: string,
  { provider }: Source,
  days: { readonly from: number; readonly to: number },
  into: Map<string, ToldFigure[]> | undefined,
): Generator<undefined> {
  for (const figure of toldBetween(db, { asset, provider }, days)) {
    if (figure === undefined) {
      yield undefined;
      continue;
    }
    const key = keyOf(figure.day, figure.place);
    const known = into?.get(key);
    if (known === undefined) into?.set(key, [figure]);
    else known.push(figure);
  }
}

const keyOf = (day: number, place: number) => `${day} ${place}`;

/** The rows of a day from one source, by metric; the newest revision first. */
function* rowsOf(
  source: Source,
  day: number,
  told: ReadonlyMap<string, readonly ToldFigure[]>,
  { allRevisions }: SignalFilter,
): Generator<ListedSignal> {
  const { provider, metrics, firstDay, lastDay, coveredFrom, target } = source;
  if (day < firstDay || day > lastDay) return;
  const all: readonly string[] = SIGNAL_METRICS[provider];
  const isTold = all.some((_, place) => told.has(keyOf(day, place)));
  if (!isTold && day < coveredFrom) return;
  for (const metric of metrics) {
    const revisions = revisionsIn(told.get(keyOf(day, all.indexOf(metric))) ?? []).toReversed();
    const of = { source: provider, metric, day };
    if (revisions.length === 0) {
      const { timeZone, property } = target;
      yield {
        ...of,
        timeZone,
        property,
        state: "missing",
        basis: null,
        value: null,
        observedAt: null,
        revision: null,
      };
      continue;
    }
    for (const { state, basis, value, timeZone, property, observedAt, revision } of revisions) {
      yield { ...of, timeZone, property, state, basis, value, observedAt, revision };
      if (!allRevisions) break;
    }
  }
}

/** Newest day first, then by source and metric in their own order, then the newest revision. */
function isAfter(row: ListedSignal, place: SignalPlace): boolean {
  const orders = [
    place.day - row.day,
    PROVIDERS.indexOf(row.source) - PROVIDERS.indexOf(place.source),
    metricPlace(row) - metricPlace(place),
    (place.revision ?? 0) - (row.revision ?? 0),
  ];
  return (orders.find((order) => order !== 0) ?? 0) > 0;
}

const metricPlace = ({ source, metric }: Pick<SignalPlace, "source" | "metric">) =>
  (SIGNAL_METRICS[source] as readonly string[]).indexOf(metric);

function sourcesOf(db: Db, { asset, provider: only, metric: wanted }: SignalFilter): Source[] {
  return PROVIDERS.filter((provider) => only === undefined || provider === only).flatMap((provider) => {
    const metrics = (SIGNAL_METRICS[provider] as readonly string[]).filter(
      (metric) => wanted === undefined || metric === wanted,
    );
    const of = { asset, provider };
    const told = metrics.length === 0 ? undefined : toldSpan(db, of);
    return told === undefined
      ? []
      : [{ provider, metrics, firstDay: told.from, ...coverOf(db, of, told.to) }];
  });
}

/** The first and the last day of which a source's series hold anything. */
function toldSpan(db: Db, { asset, provider }: SignalsOf) {
  const days = listSeries(db, asset, provider).flatMap(({ id }) => [
    ...daysIn(findFirstBlock(db, id)),
    ...daysIn(findLastBlock(db, id)),
  ]);
  return days.length === 0 ? undefined : { from: Math.min(...days), to: Math.max(...days) };
}

function daysIn(stored: StoredBlock | undefined): number[] {
  const days: number[] = [];
  if (stored === undefined) return days;
  for (const reader = new DayReader(stored.days, stored.block); reader.next(); ) days.push(reader.day);
  return days;
}

/** Up to which day the source was last answered. */
function coverOf(
  db: Db,
  of: SignalsOf,
  newestDay: number,
): Pick<Source, "lastDay" | "coveredFrom" | "target"> {
  const newest = listTargets(db, of)
    .flatMap((target) => findNewest(db, target) ?? [])
    .toSorted((one, other) => other.id - one.id)[0];
  const target = newest?.target ?? { id: 0, connectionRevision: "", property: "", timeZone: "" };
  const attempt = latestAttempt(db, target.id);
  const answeredAt = Math.max(
    newest?.observedAt ?? Number.NEGATIVE_INFINITY,
    attempt?.category === null ? attempt.startedAt : Number.NEGATIVE_INFINITY,
  );
  // Webmaster tools answer up to the newest day that they return, and nothing is known after it.
  const isOpen = of.provider === "webmaster-tools" || !Number.isFinite(answeredAt);
  const lastDay = isOpen ? newestDay : Math.max(newestDay, calendarDay(answeredAt, target.timeZone));
  return { target, lastDay, coveredFrom: lastDay - WINDOW_DAYS + 1 };
}

// The values that days of a provider's figure had, one after another, and which days may still move.

/** Every value that one figure ever had on each of the days between two, by day. */
export function revisionsBetween(
  db: Db,
  of: {
    readonly asset: string;
    readonly source: Provider;
    readonly metric: string;
    readonly from: number;
    readonly to: number;
  },
): ReadonlyMap<number, DayRevision[]> {
  const { asset, source, metric } = of;
  const metrics: readonly string[] = SIGNAL_METRICS[source];
  const asked = metrics.indexOf(metric);
  const byDay = new Map<number, ToldFigure[]>();
  for (const figure of toldBetween(db, { asset, provider: source }, of)) {
    if (figure?.place !== asked) continue;
    const known = byDay.get(figure.day);
    if (known === undefined) byDay.set(figure.day, [figure]);
    else known.push(figure);
  }
  return new Map([...byDay].map(([day, figures]) => [day, revisionsIn(figures)]));
}

/** A value that a day had for a while. Times are milliseconds since the epoch. */
export interface DayRevision extends DayFigure {
  /** Counts from 1; that a day settles, or that a zero is told by leaving it out, is no revision of its value. */
  readonly revision: number;
  /** When this value was first told. */
  readonly firstAt: number;
  /** When it was last told anew: as another value, as settled, or as excluded. */
  readonly observedAt: number;
  readonly property: string;
  /** '' where the provider does not tell it. */
  readonly timeZone: string;
}

/** The revisions that what was told of one figure of one day comes to, in the order in which it was told. Pure. */
function revisionsIn(told: readonly ToldFigure[]): DayRevision[] {
  const revisions: DayRevision[] = [];
  for (const { to, observation } of told) {
    const { observedAt, target } = observation;
    const last = revisions.at(-1);
    const place = { property: target.property, timeZone: target.timeZone };
    if (last !== undefined && last.value === to.value) {
      revisions[revisions.length - 1] = { ...last, ...to, ...place, observedAt };
    } else {
      const revision = revisions.length + 1;
      revisions.push({ ...to, ...place, revision, firstAt: observedAt, observedAt });
    }
  }
  return revisions;
}

/** Which settled days two collections in a row agree on, from what is stored of them: attempts and observations. */

// An answer without any day agrees with nothing.
const AGREEING = (["unchanged", "source_lag"] as const).map((outcome) => PULL_OUTCOMES.indexOf(outcome));
const collectedSince = statement<{ id: number }, [number, number]>(
  `SELECT id FROM pull_attempt WHERE target = ? AND id > ? AND outcome IN (${AGREEING.join(", ")}) LIMIT 1`,
);

/**
 * The settled days, from one on, on which the newest collection of a site's figures told another value than the one before: they may still
 * move, and so may what was never told before. A day that settled with the value it had does not.
 */
export function movingDays(db: Db, of: SignalsOf, last: LastTold, from: number): ReadonlySet<number> {
  const targets = listTargets(db, of);
  if (targets.some(({ id }) => collectedSince(db).first(id, last.attempt) !== undefined)) return new Set();
  const newest = targets.flatMap((target) => findNewest(db, target) ?? []).sort((a, b) => b.id - a.id)[0];
  const told = newest === undefined ? [] : observedIn(newest).figures;
  const settled = told.filter(({ day, to }) => day >= from && to.state === "final");
  const [first, end] = [settled[0], settled.at(-1)];
  if (newest === undefined || first === undefined || end === undefined) return new Set();
  const before = new Map<string, number | null>();
  for (const observation of listObservations(db, of, { from: first.day, to: end.day })) {
    // Left out before it is read: the first of a site tells 97 days.
    if (observation.target.id !== newest.target.id || observation.id === newest.id) continue;
    for (const { day, place, to } of observedIn(observation).figures) before.set(`${day} ${place}`, to.value);
  }
  const moving = settled.filter(({ day, place, to }) => before.get(`${day} ${place}`) !== to.value);
  return new Set(moving.map(({ day }) => day));
}

/** The newest observation of a site from a provider, whichever property it was of. */
export interface LastTold {
  /** The attempt that brought it. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
  /** The calendar that its days are of; '' where it is not known. */
  readonly timeZone: string;
}

const lastTold = statement<LastTold, [string, string]>(
  `SELECT told.attempt, told.observed_at AS observedAt, asked.time_zone AS timeZone
   FROM pull_target asked JOIN observation told ON told.id = (SELECT max(id) FROM observation WHERE target = asked.id)
   WHERE asked.asset = ? AND asked.provider = ? ORDER BY told.id DESC LIMIT 1`,
);

/** What a provider last told of a site; undefined while it told nothing. */
export function findLastTold(db: Db, asset: string, provider: Provider): LastTold | undefined {
  return lastTold(db).first(asset, provider);
}
