import type { Db } from "../db/mod.ts";
import { type Provider, SIGNAL_METRICS } from "../provider/contract.ts";
import { type ToldFigure, toldBetween } from "./observation_store.ts";
import { type DayRevision, revisionsIn } from "./revisions.ts";

/** Whose days. */
export interface DaysOfSource {
  readonly asset: string;
  readonly source: Provider;
}

/** Every value that each of a provider's figures ever had on one day of a site, by metric; the observations are read once. */
export function revisionsOfDay(
  db: Db,
  of: DaysOfSource & { readonly day: number },
): ReadonlyMap<string, DayRevision[]> {
  const metrics: readonly string[] = SIGNAL_METRICS[of.source];
  return gathered(db, of, { from: of.day, to: of.day }, ({ place }) => metrics[place]);
}

/** Every value that one figure ever had on each of the days between two, by day. */
export function revisionsBetween(
  db: Db,
  of: DaysOfSource & { readonly metric: string; readonly from: number; readonly to: number },
): ReadonlyMap<number, DayRevision[]> {
  const metrics: readonly string[] = SIGNAL_METRICS[of.source];
  const asked = metrics.indexOf(of.metric);
  return gathered(db, of, of, ({ place, day }) => (place === asked ? day : undefined));
}

function gathered<Key>(
  db: Db,
  { asset, source }: DaysOfSource,
  days: { readonly from: number; readonly to: number },
  keyOf: (figure: ToldFigure) => Key | undefined,
): ReadonlyMap<Key, DayRevision[]> {
  const told = new Map<Key, ToldFigure[]>();
  for (const figure of toldBetween(db, { asset, provider: source }, days)) {
    const key = figure === undefined ? undefined : keyOf(figure);
    if (figure === undefined || key === undefined) continue;
    const known = told.get(key);
    if (known === undefined) told.set(key, [figure]);
    else known.push(figure);
  }
  return new Map([...told].map(([key, figures]) => [key, revisionsIn(figures)]));
}
