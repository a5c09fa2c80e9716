/** The latest attempt of everything that was ever asked for a site: the source's own record, which health is held against. */
import { type Db, statement } from "../db/mod.ts";
import type { Pulled } from "./standing_store.ts";

/** When something was last asked, in milliseconds since the epoch. */
export interface SourceAttempt extends Pulled {
  readonly startedAt: number;
}

// The latest attempt is never packed.
const latestOfEach = statement<SourceAttempt, []>(
  `SELECT t.asset, t.provider, t.connection_revision AS connectionRevision, t.property, a.started_at AS startedAt
   FROM pull_target t JOIN pull_attempt a
     ON a.id = (SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)
   WHERE t.asset <> ''`,
);

/** The latest attempt of each site, provider, connection, property and calendar: what was asked by two calendars stands there twice. */
export function listSourceAttempts(db: Db): SourceAttempt[] {
  return latestOfEach(db).all();
}
