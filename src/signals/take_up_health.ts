/**
 * Attempts from before health was kept: at a start the latest of each property is told to the health of what it was an attempt of, so that a
 * new release need not wait a night to say how it stands. What was told of once is never told of again here.
 */
import { listCredentials } from "../credentials/mod.ts";
import { type Db, statement, type Tx, type Writer } from "../db/mod.ts";
import { findEvidence } from "../health/mod.ts";
import { type AttemptRow, endOfAttempt } from "./attempt_row.ts";
import { dailyScope, tellFailure, tellSuccess } from "./daily_health.ts";
import { ASKED_COLUMNS, LATEST_OF_EACH } from "./source_attempt_store.ts";
import type { Pulled } from "./standing_store.ts";

type Row = Pulled &
  Pick<AttemptRow, "id" | "started_at" | "took_ms" | "outcome" | "category" | "next_retry_at"> & {
    /** 1 where it failed for everything over its connection: what holds the connection was noted with it. */
    readonly of_account: number;
  };

const latestOfEach = statement<Row, []>(
  `SELECT ${ASKED_COLUMNS}, a.id, a.started_at, a.took_ms, a.outcome, a.category, a.next_retry_at,
     EXISTS (SELECT 1 FROM pull_target whole JOIN pull_attempt held
       ON held.id = (SELECT id FROM pull_attempt WHERE target = whole.id ORDER BY id DESC LIMIT 1)
       WHERE whole.asset = '' AND whole.provider = t.provider AND whole.connection_revision = t.connection_revision
         AND held.started_at = a.started_at AND held.category = a.category) AS of_account
   ${LATEST_OF_EACH} ORDER BY a.id`,
);

/** How many are told in one transaction: others write meanwhile. */
const SLICE = 200;

/** Tells of the latest attempts over the connections that there are, where health knows nothing of their targets. Says of how many. */
export async function takeUpHealth(deps: {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write">;
  readonly config: { readonly workspace: string };
}): Promise<number> {
  const { db } = deps.store;
  const { workspace } = deps.config;
  const isUntold = (row: Row) => findEvidence(db, dailyScope(workspace, row)) === undefined;
  const connections = new Set(listCredentials(db).map(({ connectionRevision }) => connectionRevision));
  const untold = latestOfEach(db)
    .all()
    .filter((row) => connections.has(row.connectionRevision) && isUntold(row));
  let told = 0;
  for (let from = 0; from < untold.length; from += SLICE) {
    const slice = untold.slice(from, from + SLICE);
    told += await deps.writer.write((tx) => slice.filter((row) => tell(tx, workspace, row)).length, {
      behind: true,
    });
  }
  return told;
}

/** Why it was, and which day it covered, is not stored of an attempt. */
function tell(tx: Tx, workspace: string, row: Row): boolean {
  const { startedAt, category, nextRetryAt } = endOfAttempt(row);
  const attempt = { workspace, id: row.id, startedAt, observedAt: startedAt + row.took_ms };
  if (category === null) return tellSuccess(tx, row, attempt, null);
  return tellFailure(tx, row, attempt, {
    category,
    code: null,
    nextRetryAt,
    isOfAccount: row.of_account === 1,
  });
}
