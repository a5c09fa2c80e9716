/** Observations: what changed of a site's figures, by whom and when; the series are the sum of them. */

import { DamagedRow } from "../base/storage_fault.ts";
import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS, WINDOW_DAYS } from "../providers/adapter.ts";
import { BLOCK_ROWS, type BlockRow, storedBlocks } from "../reports/series_check.ts";
import { blockOf, changedBlock, type DayChange, type DayValue, EMPTY_BLOCK } from "../reports/series_days.ts";
import { type ReadModel, scopesBy } from "../store/read_model.ts";
import { appending } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { observation, type pullTarget } from "./tables.ts";

// The series of providers against the observations that lead to them.

const assetsOf = PROVIDERS.map((provider) => ({
  provider,
  assets: scopesBy(
    [
      `SELECT min(asset) FROM pull_target WHERE asset > ?1 AND provider = '${provider}'`,
      `SELECT min(asset) FROM series WHERE asset > ?1 AND source = '${provider}'`,
    ],
    "",
  ),
}));

/** The series of a site from a provider. */
export const SIGNAL_MODEL: ReadModel<BlockRow, SignalsOf> = {
  ...BLOCK_ROWS,
  name: "signals",
  what: "provider signals against their observations",
  source: "its observations",
  *scopes(db) {
    for (const { provider, assets } of assetsOf) for (const asset of assets(db)) yield { asset, provider };
  },
  stored: (db, { asset, provider }) => storedBlocks(db, asset, provider),
  replay: (db, of) => {
    const { asset, provider: source } = of;
    const figures = figuresOf(db, of);
    return SIGNAL_METRICS[source].flatMap((metric, place) => {
      const days = [...(figures[place] ?? [])].sort(([one], [other]) => one - other);
      const blocks = Map.groupBy(days, ([day]) => blockOf(day));
      return [...blocks].map(([block, changes]) => ({
        asset,
        source,
        metric,
        block,
        days: changedBlock(
          EMPTY_BLOCK,
          changes.map(([day, to]) => ({ day, to })),
        ),
      }));
    });
  },
};

/** The days of each figure as the observations have them, by place. */
function figuresOf(db: Db, of: SignalsOf): Map<number, DayChange["to"]>[] {
  const figures = SIGNAL_METRICS[of.provider].map(() => new Map<number, DayChange["to"]>());
  for (const observation of listObservations(db, of)) {
    for (const { day, place, to } of observedIn(observation).figures) {
      if (to.state === "missing") figures[place]?.delete(day);
      else figures[place]?.set(day, { ...to, total: null });
    }
  }
  return figures;
}

// The bytes of an observation: the days of a source whose value, state or basis an answer changed, all of its figures together, as numbers
// of `base/varint.ts`. First the property's first day with data (its day plus one, 0 for none); so the newest observation of a property says
// it without reading the others. Then, of each day in their order:
// - the days since the one before: for the first since the property's first day with data, or since 1970; for the others less one,
// - which figures follow, a bit each by their place in `SIGNAL_METRICS`,
// - of each figure its state (two bits), basis (two) and form (two), then its value: one whole number, or the two halves of any other.

/** What an answer made a figure of a day. `missing` without a value takes away what was there. */
export type DayFigure = Omit<DayValue, "total">;

/** One figure of one day that changed. */
export interface ObservedFigure {
  readonly day: number;
  /** Place in `SIGNAL_METRICS` of the source. */
  readonly place: number;
  readonly to: DayFigure;
}

/** What an observation says. */
export interface Observed {
  /** The first day that the property ever had data for, as far as was known then; undefined for none. */
  readonly firstData: number | undefined;
  /** Ascending by day, then by place; each figure of a day once. */
  readonly figures: readonly ObservedFigure[];
}

const STATES: readonly DayFigure["state"][] = ["missing", "final", "provisional", "excluded"];
const BASES: readonly DayFigure["basis"][] = [null, "reported", "omitted"];
const FORMS = ["whole", "fraction", "none"] as const;
/** A day needs so many figures at most: a bit each. */
const MOST_FIGURES = 8;

/** Writes an observation. Throws a RangeError where figures stand out of order or a value is not finite. */
export function encodeObserved({ firstData, figures }: Observed): Buffer {
  const out = new VarintWriter();
  out.put((firstData ?? -1) + 1);
  let last: number | undefined;
  for (const [day, ofDay] of Map.groupBy(figures, (figure) => figure.day)) {
    out.put(last === undefined ? unsigned(day - (firstData ?? 0)) : day - last - 1);
    last = day;
    const which = ofDay.reduce((bits, { place }) => {
      if (1 << place <= bits || place >= MOST_FIGURES) throw new RangeError("figures stand in their order");
      return bits | (1 << place);
    }, 0);
    out.put(which);
    for (const { to } of ofDay) putFigure(out, to);
  }
  return Buffer.from(out.bytes());
}

function putFigure(out: VarintWriter, { state, basis, value }: DayFigure): void {
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`no day can have the value ${value}`);
  const form = value === null ? "none" : Number.isSafeInteger(value) && value >= 0 ? "whole" : "fraction";
  out.put(STATES.indexOf(state) | (BASES.indexOf(basis) << 2) | (FORMS.indexOf(form) << 4));
  if (value === null) return;
  if (form === "whole") out.put(value);
  else for (const half of new Uint32Array(Float64Array.of(value).buffer)) out.put(half);
}

/** Reads an observation. Throws a RangeError where the bytes are none. */
export function decodeObserved(bytes: Uint8Array): Observed {
  const from = new VarintReader(bytes);
  const firstData = firstDataIn(from);
  const figures: ObservedFigure[] = [];
  for (let day: number | undefined; !from.isAtEnd; ) {
    const step = from.take();
    day = day === undefined ? (firstData ?? 0) + signed(step) : day + step + 1;
    const which = from.take();
    if (which < 1 || which >= 1 << MOST_FIGURES)
      throw new RangeError("a day has figures that there are none of");
    for (let place = 0; place < MOST_FIGURES; place++) {
      if ((which & (1 << place)) !== 0) figures.push({ day, place, to: figureIn(from) });
    }
  }
  return { firstData, figures };
}

function figureIn(from: VarintReader): DayFigure {
  const head = from.take();
  const [state, basis, form] = [STATES[head & 3], BASES[(head >> 2) & 3], FORMS[head >> 4]];
  if (state === undefined || basis === undefined || form === undefined) {
    throw new RangeError("a figure has no such state, basis or form");
  }
  if (form === "none") return { state, basis, value: null };
  if (form === "whole") return { state, basis, value: from.take() };
  const [value = 0] = new Float64Array(Uint32Array.of(from.take(), from.take()).buffer);
  return { state, basis, value };
}

function firstDataIn(from: VarintReader): number | undefined {
  const first = from.take();
  return first === 0 ? undefined : first - 1;
}

/** The property's first day with data, by the head of an observation alone. */
export const firstDataOf = (bytes: Uint8Array): number | undefined => firstDataIn(new VarintReader(bytes));

/** The first day that an observation says something of; undefined where it says nothing. */
export function firstDayOf(bytes: Uint8Array): number | undefined {
  const from = new VarintReader(bytes);
  const firstData = firstDataIn(from) ?? 0;
  return from.isAtEnd ? undefined : firstData + signed(from.take());
}

/** Whose figures. */
export interface SignalsOf {
  readonly asset: string;
  readonly provider: Provider;
}

/** A row of `pull_target`, of those of one site and source. */
export type KnownTarget = Readonly<Omit<typeof pullTarget.$inferSelect, "asset" | "provider">>;

type Row = Readonly<typeof observation.$inferSelect>;
/** An observation as it is stored, with its target. */
export interface StoredObservation extends Pick<Row, "id" | "attempt"> {
  readonly target: KnownTarget;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
  readonly days: Uint8Array;
}

/** A figure of a day as an observation has it. */
export interface ToldFigure extends ObservedFigure {
  readonly observation: StoredObservation;
}

const targetsOf = statement<KnownTarget, [string, string]>(
  `SELECT id, connection_revision AS connectionRevision, property, time_zone AS timeZone FROM pull_target
   WHERE asset = ? AND provider = ? ORDER BY id`,
);

const append = appending(observation);

type ObservationRow = Omit<Row, "target">;
const COLUMNS = "id, attempt, observed_at, days FROM observation";

const newestOf = statement<ObservationRow, [number]>(
  `SELECT ${COLUMNS} WHERE target = ? ORDER BY id DESC LIMIT 1`,
);

const after = statement<ObservationRow, [number, number, number, number]>(
  `SELECT ${COLUMNS} WHERE target = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?`,
);

const nextFrom = statement<{ id: number; observed_at: number }, [number]>(
  "SELECT id, observed_at FROM observation WHERE id >= ? ORDER BY id LIMIT 1",
);

const newest = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM observation");

/** Rows read at a time. */
const ROWS = 256;
const DAY_MS = 86_400_000;
/** How far the clock may have been set back, or calendars lie apart, without a row being overlooked, in days. */
const MARGIN_DAYS = 7;

/** Every target of a site and source, in the order in which they came to be asked. */
export const listTargets = (db: Db, { asset, provider }: SignalsOf): KnownTarget[] =>
  targetsOf(db).all(asset, provider);

/** Appends what an attempt changed. */
export function appendObservation(
  tx: Tx,
  of: { readonly attempt: number; readonly target: number; readonly observedAt: number },
  observed: Observed,
): void {
  const { attempt, target, observedAt } = of;
  append(tx, { attempt, target, observed_at: observedAt, days: encodeObserved(observed) });
}

/** The newest observation of a target. */
export function findNewest(db: Db, target: KnownTarget): StoredObservation | undefined {
  const row = newestOf(db).first(target.id);
  return row === undefined ? undefined : storedOf(row, target);
}

/** What an observation says. Throws `DamagedRow`. */
export function observedIn({ id, days }: Pick<StoredObservation, "id" | "days">): Observed {
  try {
    return decodeObserved(days);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DamagedRow(`observation, row ${id}: its days cannot be read`);
  }
}

/** What is known of a site's figures from its observations. */
export interface KnownProperty {
  /** The newest observation of the site and source; 0 while there is none. What it was decided on. */
  readonly newest: number;
  /** Whether the newest observation is of the property. */
  readonly isSameProperty: boolean;
  /** The property's first day with data. */
  readonly firstData: number | undefined;
  /** When something of the property last changed, and in which time zone. */
  readonly last: { readonly at: number; readonly timeZone: string } | undefined;
}

/** What is known of a property of a site: two short reads for each of its targets. */
export function findKnownProperty(db: Db, of: SignalsOf & { readonly property: string }): KnownProperty {
  let [all, own]: [StoredObservation | undefined, StoredObservation | undefined] = [undefined, undefined];
  for (const target of listTargets(db, of)) {
    const one = findNewest(db, target);
    if (one === undefined) continue;
    if (all === undefined || one.id > all.id) all = one;
    if (target.property === of.property && (own === undefined || one.id > own.id)) own = one;
  }
  return {
    newest: all?.id ?? 0,
    isSameProperty: all !== undefined && all.id === own?.id,
    firstData: own === undefined ? undefined : firstDataOf(own.days),
    last: own === undefined ? undefined : { at: own.observedAt, timeZone: own.target.timeZone },
  };
}

/** Every observation of a site and source, in the order in which they were appended. */
export function* listObservations(
  db: Db,
  of: SignalsOf,
  ids: { readonly after: number; readonly to: number } = { after: 0, to: Number.MAX_SAFE_INTEGER },
): Generator<StoredObservation> {
  const lanes = listTargets(db, of).map((target) => observationsOf(db, target, ids));
  const heads = lanes.map((lane) => lane.next().value);
  for (;;) {
    let first: number | undefined;
    for (const [place, head] of heads.entries()) {
      if (head !== undefined && head.id < (heads[first ?? -1]?.id ?? Number.POSITIVE_INFINITY)) first = place;
    }
    const head = first === undefined ? undefined : heads[first];
    if (first === undefined || head === undefined) return;
    yield head;
    heads[first] = lanes[first]?.next().value;
  }
}

function* observationsOf(
  db: Db,
  target: KnownTarget,
  ids: { readonly after: number; readonly to: number },
): Generator<StoredObservation, undefined> {
  for (let last = ids.after; ; ) {
    const rows = after(db).all(target.id, last, ids.to, ROWS);
    for (const row of rows) yield storedOf(row, target);
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS) return undefined;
    last = end.id;
  }
}

const storedOf = ({ id, attempt, observed_at, days }: ObservationRow, target: KnownTarget) => ({
  id,
  attempt,
  target,
  observedAt: observed_at,
  days,
});

/**
 * What was told of the days between two, both included, in the order in which it was: read from the observations of the time in
 * which the days stood in a window. An undefined stands where others may work.
 */
export function* toldBetween(
  db: Db,
  of: SignalsOf,
  days: { readonly from: number; readonly to: number },
  ids = idsAround(db, days),
): Generator<ToldFigure | undefined> {
  let read = 0;
  for (const observation of listObservations(db, of, ids)) {
    if (++read % ROWS === 0) yield undefined;
    if ((firstDayOf(observation.days) ?? Number.POSITIVE_INFINITY) > days.to) continue;
    for (const figure of observedIn(observation).figures) {
      if (figure.day >= days.from && figure.day <= days.to) yield { ...figure, observation };
    }
  }
}

/** The observations of the time in which days stood in a window, by their ids. */
export function idsAround(
  db: Db,
  days: { readonly from: number; readonly to: number },
): { readonly after: number; readonly to: number } {
  const last = newest(db).first()?.id ?? 0;
  const rows = new Map<number, ReturnType<ReturnType<typeof nextFrom>["first"]>>();
  const nextOf = (id: number) => {
    if (!rows.has(id)) rows.set(id, nextFrom(db).first(id));
    return rows.get(id);
  };
  return {
    after: firstSince((days.from - MARGIN_DAYS) * DAY_MS, last, nextOf) - 1,
    to: firstSince((days.to + WINDOW_DAYS + MARGIN_DAYS) * DAY_MS, last, nextOf) - 1,
  };
}

/** The id of the first observation since a moment, or the next one that there will be; ids rise with time, so few are looked at. */
function firstSince(
  at: number,
  last: number,
  nextOf: (id: number) => { readonly id: number; readonly observed_at: number } | undefined,
): number {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = nextOf(middle);
    if (row === undefined || row.observed_at >= at) high = middle;
    else low = row.id + 1;
  }
  return low;
}
