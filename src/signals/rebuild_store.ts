/** The series of providers against the observations that they are made of: what differs, and putting it right. */
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { wholly } from "../lib/wholly.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS } from "../provider/contract.ts";
import {
  addSeries,
  blockOf,
  changedBlock,
  type DayChange,
  EMPTY_BLOCK,
  findSeries,
  firstDayOf,
  listBlocks,
  listSeries,
  nextAssetOf,
  noteMetrics,
  readBlock,
  writeBlock,
} from "../series/mod.ts";
import { listObservations, listTargets, observedIn, type SignalsOf } from "./observation_store.ts";

/** A site and source whose series are not what was told of it. */
export interface SignalDifference extends SignalsOf {
  readonly text: string;
}

/** Observations that are taken together before others may work. */
const OBSERVATIONS = 256;

const nextTarget = statement<{ asset: string | null }, [string, string]>(
  "SELECT min(asset) AS asset FROM pull_target WHERE asset > ? AND provider = ?",
);

const lastOf = statement<{ last_day: number }, [string, string, string]>(
  "SELECT last_day FROM series WHERE asset = ? AND source = ? AND metric = ?",
);

/** What a figure's series is to be. */
interface Due {
  readonly blocks: ReadonlyMap<number, Uint8Array>;
  /** The last day that anything was told of; undefined where nothing was. */
  readonly last: number | undefined;
}

/** Every site and source in turn: those whose series differ from their observations, with an undefined wherever the caller may let others work. */
export function* signalDifferences(db: Db): Generator<SignalDifference | undefined> {
  for (const provider of PROVIDERS) {
    for (const asset of assetsOf(db, provider)) {
      yield* differencesOf(db, { asset, provider });
      yield undefined;
    }
  }
}

function* assetsOf(db: Db, provider: Provider): Generator<string> {
  for (let last = ""; ; ) {
    const asked = nextTarget(db).first(last, provider)?.asset ?? undefined;
    const [asset] = [asked, nextAssetOf(db, provider, last)].filter((one) => one !== undefined).sort();
    if (asset === undefined) return;
    last = onward("an index of pull_target or series", last, asset);
    yield asset;
  }
}

function* differencesOf(db: Db, of: SignalsOf): Generator<SignalDifference | undefined> {
  const { asset, provider } = of;
  const due = yield* dueOf(db, of);
  const metrics: readonly string[] = SIGNAL_METRICS[provider];
  for (const [place, metric] of metrics.entries()) {
    const { blocks, last } = due[place] ?? NOTHING_DUE;
    const id = findSeries(db, { asset, source: provider, metric });
    const held = id === undefined ? [] : listBlocks(db, id);
    for (const block of [...new Set([...held, ...blocks.keys()])].sort((one, other) => one - other)) {
      const is = id === undefined ? EMPTY_BLOCK : readBlock(db, id, block);
      if (Buffer.compare(is, blocks.get(block) ?? EMPTY_BLOCK) === 0) continue;
      const about = dayOfNumber(firstDayOf(block));
      yield {
        ...of,
        text: `${asset}, ${provider}: ${metric} in the days from ${about} is not what was told`,
      };
    }
    const noted = lastOf(db).first(asset, provider, metric)?.last_day;
    if (last !== undefined && (noted === undefined || noted < last)) {
      yield {
        ...of,
        text: `${asset}, ${provider}: ${metric} is not noted as last told of ${dayOfNumber(last)}`,
      };
    }
  }
  for (const { metric } of listSeries(db, asset, provider)) {
    if (!metrics.includes(metric))
      yield { ...of, text: `${asset}, ${provider}: there is no figure ${metric}` };
  }
}

const NOTHING_DUE: Due = { blocks: new Map(), last: undefined };

/** The blocks of each figure as its observations say them, by place. */
function* dueOf(db: Db, of: SignalsOf): Generator<undefined, readonly Due[]> {
  const days = SIGNAL_METRICS[of.provider].map(() => new Map<number, DayChange["to"]>());
  const last: (number | undefined)[] = [];
  let read = 0;
  for (const observation of listTargets(db, of).length === 0 ? [] : listObservations(db, of)) {
    for (const { day, place, to } of observedIn(observation).figures) {
      if (to.state === "missing") {
        days[place]?.delete(day);
        continue;
      }
      days[place]?.set(day, { ...to, total: null });
      last[place] = Math.max(last[place] ?? day, day);
    }
    if (++read % OBSERVATIONS === 0) yield undefined;
  }
  return days.map((figure, place) => ({ blocks: blocksOf(figure), last: last[place] }));
}

function blocksOf(days: ReadonlyMap<number, DayChange["to"]>): Map<number, Uint8Array> {
  const changes = new Map<number, DayChange[]>();
  for (const [day, to] of [...days].sort(([one], [other]) => one - other)) {
    const block = changes.get(blockOf(day));
    if (block === undefined) changes.set(blockOf(day), [{ day, to }]);
    else block.push({ day, to });
  }
  return new Map([...changes].map(([block, of]) => [block, changedBlock(EMPTY_BLOCK, of)]));
}

/** Makes the series of the sites and sources named what was told of them. */
export function mendSignals(tx: Tx, differences: readonly SignalDifference[]): void {
  const done = new Set<string>();
  for (const { asset, provider } of differences) {
    const key = JSON.stringify([asset, provider]);
    if (!done.has(key)) mendOne(tx, { asset, provider });
    done.add(key);
  }
}

function mendOne(tx: Tx, of: SignalsOf): void {
  const { asset, provider } = of;
  const due = wholly(dueOf(tx, of));
  for (const [place, metric] of SIGNAL_METRICS[provider].entries()) {
    const { blocks, last } = due[place] ?? NOTHING_DUE;
    const key = { asset, source: provider, metric };
    const known = findSeries(tx, key);
    if (known === undefined && last === undefined) continue;
    const id = known ?? addSeries(tx, key, last ?? 0);
    for (const block of new Set([...listBlocks(tx, id), ...blocks.keys()])) {
      writeBlock(tx, id, block, blocks.get(block) ?? EMPTY_BLOCK);
    }
    if (last !== undefined) noteMetrics(tx, { asset, source: provider }, [metric], last);
  }
}
