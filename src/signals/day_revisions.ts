import type { Db } from "../db/mod.ts";
import { type Provider, SIGNAL_METRICS } from "../provider/contract.ts";
import { idsAround, type ToldFigure, toldBetween } from "./observation_store.ts";
import { type DayRevision, revisionsIn } from "./revisions.ts";

/** Every value that each figure of these providers ever had on one day of a site, by provider and metric; all is read once. */
export function revisionsOfDay(
  db: Db,
  of: { readonly asset: string; readonly sources: readonly Provider[]; readonly day: number },
): ReadonlyMap<string, ReadonlyMap<string, DayRevision[]>> {
  const { asset, sources, day } = of;
  const days = { from: day, to: day };
  const ids = idsAround(db, days);
  return new Map(
    sources.map((source) => {
      const metrics: readonly string[] = SIGNAL_METRICS[source];
      const told = toldBetween(db, { asset, provider: source }, days, ids);
      return [source, gathered(told, ({ place }) => metrics[place])];
    }),
  );
}

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
  const told = toldBetween(db, { asset, provider: source }, of);
  return gathered(told, ({ place, day }) => (place === asked ? day : undefined));
}

/** What was told, by what a figure is of; what is of nothing is left out. */
function gathered<Key>(
  told: Iterable<ToldFigure | undefined>,
  keyOf: (figure: ToldFigure) => Key | undefined,
): ReadonlyMap<Key, DayRevision[]> {
  const byKey = new Map<Key, ToldFigure[]>();
  for (const figure of told) {
    const key = figure === undefined ? undefined : keyOf(figure);
    if (figure === undefined || key === undefined) continue;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [figure]);
    else known.push(figure);
  }
  return new Map([...byKey].map(([key, figures]) => [key, revisionsIn(figures)]));
}
