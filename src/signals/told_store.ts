/** What a provider last told of a site. */
import { type Db, statement } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";

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
