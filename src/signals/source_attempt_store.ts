/** The latest attempt of everything that was ever asked for a site: the source's own record, which health is held against. */
import { type Db, statement } from "../db/mod.ts";
import type { Pulled } from "./standing_store.ts";

/** When something was last asked, in milliseconds since the epoch. */
export interface SourceAttempt extends Pulled {
  readonly startedAt: number;
}

/** What `t` is, of which `a` is the latest attempt, in SQL. That attempt is never packed. */
export const LATEST_OF_EACH = `FROM pull_target t JOIN pull_attempt a
     ON a.id = (SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)
   WHERE t.asset <> ''`;
/** Its columns that name what was asked. */
export const ASKED_COLUMNS = "t.asset, t.provider, t.connection_revision AS connectionRevision, t.property";

const latestOfEach = statement<SourceAttempt, []>(
  `SELECT ${ASKED_COLUMNS}, a.started_at AS startedAt ${LATEST_OF_EACH}`,
);

/** The latest attempt of each site, provider, connection, property and calendar: what was asked by two calendars stands there twice. */
export function listSourceAttempts(db: Db): SourceAttempt[] {
  return latestOfEach(db).all();
}
