/** The figures of a site as the read API lists them, newest day first: each day as it stands, or every value that it ever had. */

import { calendarDay } from "../base/time.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS, WINDOW_DAYS } from "../providers/adapter.ts";
import { findFirstBlock, findLastBlock, listSeries, type StoredBlock } from "../reports/series.ts";
import { DayReader, type SeriesBasis, type SeriesState } from "../reports/series_days.ts";
import type { Db } from "../store/store.ts";
import { latestAttempt } from "./attempts.ts";
import { revisionsIn } from "./day_revisions.ts";
import {
  findNewest,
  type KnownTarget,
  listTargets,
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
export interface SignalFilter {
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
function toldSpan(
  db: Db,
  { asset, provider }: SignalsOf,
): { readonly from: number; readonly to: number } | undefined {
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
