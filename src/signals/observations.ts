/** Observations: what changed of a site's figures, by whom and when; the series are the sum of them. */

import { DamagedRow } from "../base/storage_fault.ts";
import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import { type DayRange, PROVIDERS, type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { BLOCK_ROWS, type BlockRow, storedBlocks } from "../reports/series.ts";
import { blockOf, changedBlock, type DayChange, type DayValue, EMPTY_BLOCK } from "../reports/series_days.ts";
import { checksumOf, packed, packFaults, unpacked } from "../store/packs.ts";
import { type ReadModel, scopesBy } from "../store/read_model.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { observation, observationPack, type pullTarget } from "./tables.ts";

// What an observation says, and the bytes in which it is stored.

// The bytes of an observation: the days of a source whose value, state or basis an answer changed, all of its figures together, as numbers
// of `base/varint.ts`. First the property's first day with data (its day plus one, 0 for none); so the newest observation of a property says
// it without reading the others. Then, of each day in their order:
// - the days since the one before: for the first since the property's first day with data, or since 1970; for the others less one,
// - which figures follow, a bit each by their place in `SIGNAL_METRICS`,
// - of each figure its state (two bits), basis (two) and form (two), then its value: one whole number; the part that it is of the whole
//   number before it of the same day, as clicks are of impressions; or the two halves of any other.

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
const FORMS = ["whole", "fraction", "none", "part"] as const;
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
    let whole = 0;
    for (const { to } of ofDay) whole = putFigure(out, to, whole);
  }
  return Buffer.from(out.bytes());
}

/** Writes a figure that comes after a whole number of its day, 0 for none. Answers the one that the next comes after. */
function putFigure(out: VarintWriter, { state, basis, value }: DayFigure, whole: number): number {
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`no day can have the value ${value}`);
  const part = Math.round((value ?? 0) * whole);
  const isPart = part >= 0 && Number.isSafeInteger(part) && part / whole === value;
  const isWhole = value !== null && Number.isSafeInteger(value) && value >= 0;
  const form = value === null ? "none" : isWhole ? "whole" : isPart ? "part" : "fraction";
  out.put(STATES.indexOf(state) | (BASES.indexOf(basis) << 2) | (FORMS.indexOf(form) << 4));
  if (value === null) return whole;
  if (isWhole) out.put(value);
  else if (isPart) out.put(part);
  else for (const half of new Uint32Array(Float64Array.of(value).buffer)) out.put(half);
  return isWhole ? value : whole;
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
    let whole = 0;
    for (let place = 0; place < MOST_FIGURES; place++) {
      if ((which & (1 << place)) === 0) continue;
      const { form, ...to } = figureIn(from, whole);
      figures.push({ day, place, to });
      if (form === "whole") whole = to.value ?? 0;
    }
  }
  return { firstData, figures };
}

function figureIn(from: VarintReader, whole: number): DayFigure & { readonly form: (typeof FORMS)[number] } {
  const head = from.take();
  const [state, basis, form] = [STATES[head & 3], BASES[(head >> 2) & 3], FORMS[head >> 4]];
  if (state === undefined || basis === undefined || form === undefined) {
    throw new RangeError("a figure has no such state, basis or form");
  }
  if (form === "none") return { state, basis, value: null, form };
  if (form === "whole") return { state, basis, value: from.take(), form };
  if (form === "part") return { state, basis, value: from.take() / whole, form };
  const [value = 0] = new Float64Array(Uint32Array.of(from.take(), from.take()).buffer);
  return { state, basis, value, form };
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

const newestOf = statement<ObservationRow, [number]>(
  "SELECT id, attempt, observed_at, days FROM observation WHERE target = ? ORDER BY id DESC LIMIT 1",
);

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

/** The newest observation of a target: it lies loose, whatever is packed. */
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
export type KnownProperty = ReturnType<typeof findKnownProperty>;

/** What is known of a property of a site: two short reads for each of its targets. */
export function findKnownProperty(db: Db, of: SignalsOf & { readonly property: string }) {
  let [all, own]: [StoredObservation | undefined, StoredObservation | undefined] = [undefined, undefined];
  for (const target of listTargets(db, of)) {
    const one = findNewest(db, target);
    if (one === undefined) continue;
    if (all === undefined || one.id > all.id) all = one;
    if (target.property === of.property && (own === undefined || one.id > own.id)) own = one;
  }
  return {
    /** The newest observation of the site and source; 0 while there is none. What it was decided on. */
    newest: all?.id ?? 0,
    /** Whether the newest observation is of the property. */
    isSameProperty: all !== undefined && all.id === own?.id,
    /** The property's first day with data. */
    firstData: own === undefined ? undefined : firstDataOf(own.days),
    /** When something of the property last changed, and in which time zone. */
    last: own === undefined ? undefined : { at: own.observedAt, timeZone: own.target.timeZone },
  };
}

const EVER: DayRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
/** Rows read at a time. */
const ROWS = 256;

/** Every observation of a site and source that may say something of the days, in the order in which they were appended. */
export function* listObservations(
  db: Db,
  of: SignalsOf,
  days: DayRange = EVER,
): Generator<StoredObservation> {
  const lanes = listTargets(db, of).map((target) => observationsOf(db, target, days));
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
  { from, to }: DayRange,
): Generator<StoredObservation, undefined> {
  for (let last = 0; ; ) {
    // In this order: what is packed in between is found in its pack.
    const loose = listLooseObservations(db, target.id, last, ROWS);
    const packs = packsAfter(db, target.id, last);
    for (const { id, first_day, last_day } of packs) {
      if (first_day > to || last_day < from) continue;
      for (const row of rowsOfPack(db, id)) yield storedOf(row, target);
    }
    last = packs.at(-1)?.last ?? last;
    for (const row of loose) if (row.id > last) yield storedOf(row, target);
    last = Math.max(last, loose.at(-1)?.id ?? 0);
    if (packs.length === 0 && loose.length < ROWS) return undefined;
  }
}

const storedOf = ({ id, attempt, observed_at, days }: ObservationRow, target: KnownTarget) => ({
  id,
  attempt,
  target,
  observedAt: observed_at,
  days,
});

/** What was told of the days between two, in the order in which it was. An undefined stands where others may work. */
export function* toldBetween(db: Db, of: SignalsOf, days: DayRange): Generator<ToldFigure | undefined> {
  let read = 0;
  for (const observation of listObservations(db, of, days)) {
    if (++read % ROWS === 0) yield undefined;
    if ((firstDayOf(observation.days) ?? Number.POSITIVE_INFINITY) > days.to) continue;
    for (const figure of observedIn(observation).figures) {
      if (figure.day >= days.from && figure.day <= days.to) yield { ...figure, observation };
    }
  }
}

// Packs of observations as they are stored, and packing: reading what is loose, putting a pack in, taking out what it holds.

/** Observations of a pack: ten days of a target that is asked every quarter of an hour, read within a millisecond or two. */
export const PACK_OBSERVATIONS = 960;

/** An observation of a target as it is stored. */
interface ObservationRow extends Pick<Row, "id" | "attempt" | "observed_at"> {
  readonly days: Uint8Array;
}

type Pack = typeof observationPack.$inferSelect;

// The form of a pack: how many there are, then their ids, attempts and moments, each as its distance from the one before, and how
// many bytes their days are; then those bytes, one after another. All of it is one zstd frame.

/** Compresses observations of one target on another thread. */
export const packObservations = (rows: readonly ObservationRow[]): Promise<Buffer> =>
  packed(contentOf(rows), rows, unpackObservations);

const STEPS = ["id", "attempt", "observed_at"] as const;

function contentOf(rows: readonly ObservationRow[]): Buffer {
  const out = new VarintWriter();
  out.put(rows.length);
  for (const column of STEPS) {
    for (const [place, row] of rows.entries())
      out.put(unsigned(row[column] - (rows[place - 1]?.[column] ?? 0)));
  }
  for (const { days } of rows) out.put(days.length);
  return Buffer.concat([out.bytes(), ...rows.map(({ days }) => days)]);
}

/** The observations of a pack, in their order. Throws where it is not what `packObservations` made. */
export function unpackObservations(data: Uint8Array): ObservationRow[] {
  const from = new VarintReader(Bun.zstdDecompressSync(data));
  const length = from.take();
  if (length > PACK_OBSERVATIONS) throw new RangeError("a pack holds more observations than it may");
  const places = Array.from({ length });
  const [ids, attempts, moments] = STEPS.map(() => {
    let at = 0;
    return places.map(() => (at += signed(from.take())));
  });
  const lengths = places.map(() => from.take());
  return lengths.map((bytes, place) => ({
    id: ids?.[place] ?? 0,
    attempt: attempts?.[place] ?? 0,
    observed_at: moments?.[place] ?? 0,
    days: from.takeBytes(bytes),
  }));
}

/** What a pack says of the observations in it. */
function headOf(rows: readonly ObservationRow[]): Pick<Pack, "first" | "last" | "first_day" | "last_day"> {
  let [first_day, last_day] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (const { days } of rows) {
    const { figures } = decodeObserved(days);
    first_day = Math.min(first_day, figures[0]?.day ?? first_day);
    last_day = Math.max(last_day, figures.at(-1)?.day ?? last_day);
  }
  return { first: rows[0]?.id ?? 0, last: rows.at(-1)?.id ?? 0, first_day, last_day };
}

/** Packs that are not as they were written, or do not hold what their columns say. */
export const observationFaults = packFaults<Pack>(observationPack, (data) =>
  headOf(unpackObservations(data)),
);

const lastPacked = statement<{ last: number | null }, [number]>(
  "SELECT max(last) AS last FROM observation_pack WHERE target = ?",
);

/** The last observation of a target that lies in a pack; 0 where none does. Every one of it up to that lies in one. */
export const lastPackedObservation = (db: Db, target: number): number =>
  lastPacked(db).first(target)?.last ?? 0;

const looseAfter = statement<ObservationRow, [number, number, number]>(
  "SELECT id, attempt, observed_at, days FROM observation WHERE target = ? AND id > ? ORDER BY id LIMIT ?",
);

/** Loose observations of a target after an id, in their order. */
export const listLooseObservations = (
  db: Db,
  target: number,
  after: number,
  limit: number,
): ObservationRow[] => looseAfter(db).all(target, after, limit);

const nthAfter = statement<Pick<ObservationRow, "observed_at">, [number, number, number]>(
  "SELECT observed_at FROM observation WHERE target = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?",
);

/** When the so manieth loose observation of a target after an id was made, 1 being the next; undefined where there are fewer. */
export const observedAtOf = (db: Db, target: number, after: number, place: number): number | undefined =>
  nthAfter(db).first(target, after, place - 1)?.observed_at;

const appendPack = appending(observationPack);

/** Puts a pack of a target in. A trigger refuses one that leaves an observation out. */
export function putObservations(tx: Tx, target: number, rows: readonly ObservationRow[], data: Buffer): void {
  appendPack(tx, { target, ...headOf(rows), data, checksum: checksumOf(data) });
}

const PACKED = `FROM observation WHERE target = ?1 AND id <= (SELECT max(last) FROM observation_pack WHERE target = ?1)
   AND id < (SELECT max(id) FROM observation WHERE target = ?1)`;
const anyPacked = statement<{ id: number }, [number]>(`SELECT id ${PACKED} LIMIT 1`);
const deletePacked = statement<never, [number]>(`DELETE ${PACKED}`);

/** Whether loose observations of a target lie in a pack, but for the newest one, which stays. */
export const standInBoth = (db: Db, target: number): boolean => anyPacked(db).first(target) !== undefined;

/** Takes those out. Triggers refuse to take out any other. */
export const dropPackedObservations = (tx: Tx, target: number): void => deletePacked(tx).run(target);

type PackHead = Pick<Pack, "id" | "last" | "first_day" | "last_day">;

const headsAfter = statement<PackHead, [number, number]>(
  "SELECT id, last, first_day, last_day FROM observation_pack WHERE target = ? AND last > ? ORDER BY last",
);

/** The packs of a target that hold observations after an id, in their order. */
const packsAfter = (db: Db, target: number, after: number): PackHead[] => headsAfter(db).all(target, after);

const byId = statement<Pack, [number]>(
  `SELECT ${columnsOf(observationPack)} FROM observation_pack WHERE id = ?`,
);

/** The observations of a pack. Throws `DamagedRow` where it is not as it was written. */
function rowsOfPack(db: Db, id: number): ObservationRow[] {
  const pack = byId(db).first(id);
  if (pack === undefined) throw new DamagedRow(`observation_pack, row ${id}: it is gone`);
  return unpacked("observation_pack", pack, unpackObservations);
}
