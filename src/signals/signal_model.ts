/** The series of providers against the observations that lead to them. */

import { PROVIDERS, SIGNAL_METRICS } from "../providers/adapter.ts";
import { BLOCK_ROWS, type BlockRow, storedBlocks } from "../reports/series_check.ts";
import { blockOf, changedBlock, type DayChange, EMPTY_BLOCK } from "../reports/series_days.ts";
import { type ReadModel, scopesBy } from "../store/read_model.ts";
import type { Db } from "../store/store.ts";
import { listObservations, observedIn, type SignalsOf } from "./observations.ts";

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
