import type { Db } from "../db/mod.ts";
import { type Provider, SIGNAL_METRICS } from "../provider/contract.ts";
import { type ToldFigure, toldBetween } from "./observation_store.ts";
import { type DayRevision, revisionsIn } from "./revisions.ts";

/** Every value that each of a provider's figures ever had on one day of a site, by metric; the observations are read once. */
export function revisionsOfDay(
  db: Db,
  of: { readonly asset: string; readonly source: Provider; readonly day: number },
): ReadonlyMap<string, DayRevision[]> {
  const { asset, source, day } = of;
  const told = new Map<string, ToldFigure[]>();
  for (const figure of toldBetween(db, { asset, provider: source }, { from: day, to: day })) {
    const metric = figure === undefined ? undefined : SIGNAL_METRICS[source][figure.place];
    if (figure === undefined || metric === undefined) continue;
    const known = told.get(metric);
    if (known === undefined) told.set(metric, [figure]);
    else known.push(figure);
  }
  return new Map([...told].map(([metric, figures]) => [metric, revisionsIn(figures)]));
}
