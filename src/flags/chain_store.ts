/** Queries along the rows that tell one lasting thing. */
import { and, desc, eq, isNotNull, lt } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import { FLOW_RULES } from "../rules/mod.ts";
import type { ChainedFlag, FlagRow, SeriesSource } from "./contract.ts";
import type { Predecessor } from "./renewal.ts";
import { toChainedFlag, toFlagRow } from "./row.ts";
import { findChainedFlag, findFlag } from "./store.ts";
import { flag } from "./table.ts";

const PREDECESSOR =
  "id, rule, severity, rule_inputs, raised_at, resolved_at, snoozed_until, acked_at, acked_by, incident, hypothesis, chain, since, reports";

const predecessorById = statement<Predecessor, [string]>(`SELECT ${PREDECESSOR} FROM flag WHERE id = ?`);

// Spelt as the partial index spells it. What an operator resolved, or retiring the site did, is over for good.
const flowOver = statement<Predecessor, [string, string, string, number]>(
  `SELECT ${PREDECESSOR} FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND resolved_at >= ?
     AND status = 'resolved' AND renewed_by IS NULL AND rule IN (${FLOW_RULES.map((rule) => `'${rule}'`).join(", ")})
     AND resolution IN ('cleared', 'renewed')
   ORDER BY resolved_at DESC, raised_at DESC, rowid DESC LIMIT 8`,
);

/** A flag as the one that renews it sees it. */
export function findPredecessor(tx: Tx, id: string): Predecessor | undefined {
  return predecessorById(tx).first(id);
}

/** The flow flags of a series that a reading resolved since an instant and nothing renewed yet, newest first. */
export function listFlowFlagsOver(
  tx: Tx,
  of: {
    readonly asset: string;
    readonly source: SeriesSource | null;
    readonly metric: string;
    readonly since: number;
  },
): Predecessor[] {
  return flowOver(tx).all(of.asset, of.source ?? "", of.metric, of.since);
}

/** The flag that tells the thing of a chain now. */
export function findLastOfChain(db: Db, first: string): ChainedFlag | undefined {
  const row = db
    .select()
    .from(flag)
    .where(and(eq(flag.chain, first), isNotNull(flag.renews)))
    .orderBy(desc(flag.reports))
    .limit(1)
    .get();
  return row === undefined ? findChainedFlag(db, first) : toChainedFlag(row);
}

/** The flags of a chain before one of its places, newest first, at most `limit`. */
export function listEarlier(db: Db, of: ChainedFlag["chain"], limit: number): FlagRow[] {
  if (of.reports === 1) return [];
  const renewing = db
    .select()
    .from(flag)
    .where(and(eq(flag.chain, of.first), isNotNull(flag.renews), lt(flag.reports, of.reports)))
    .orderBy(desc(flag.reports))
    .limit(limit)
    .all()
    .map(toFlagRow);
  const first = renewing.length < limit ? findFlag(db, of.first) : undefined;
  return first === undefined ? renewing : [...renewing, first];
}
