/** Observations: what changed of a site's figures, by whom and when; the series are the sum of them. */

import { DamagedRow } from "../base/storage_fault.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { BLOCK_ROWS, type BlockRow, storedBlocks } from "../reports/series.ts";
import { blockOf, changedBlock, type DayChange, EMPTY_BLOCK } from "../reports/series_days.ts";
import { type ReadModel, scopesBy } from "../store/read_model.ts";
import { appending } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { listLooseObservations, type ObservationRow, packsAfter, rowsOfPack } from "./observation_packs.ts";
import {
  decodeObserved,
  encodeObserved,
  firstDataOf,
  firstDayOf,
  type Observed,
  type ObservedFigure,
} from "./observed.ts";
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

/** Day numbers, both included. */
interface Days {
  readonly from: number;
  readonly to: number;
}

const EVER: Days = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
/** Rows read at a time. */
const ROWS = 256;

/** Every observation of a site and source that may say something of the days, in the order in which they were appended. */
export function* listObservations(db: Db, of: SignalsOf, days: Days = EVER): Generator<StoredObservation> {
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
  { from, to }: Days,
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
export function* toldBetween(db: Db, of: SignalsOf, days: Days): Generator<ToldFigure | undefined> {
  let read = 0;
  for (const observation of listObservations(db, of, days)) {
    if (++read % ROWS === 0) yield undefined;
    if ((firstDayOf(observation.days) ?? Number.POSITIVE_INFINITY) > days.to) continue;
    for (const figure of observedIn(observation).figures) {
      if (figure.day >= days.from && figure.day <= days.to) yield { ...figure, observation };
    }
  }
}
