/** Queries along the rows that tell one lasting thing. */
import { and, desc, eq, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { FLOW_RULES } from "../rules/mod.ts";
import type { ChainedFlag, SeriesSource } from "./contract.ts";
import { lineOf } from "./line.ts";
import type { Predecessor } from "./renewal.ts";
import { toChainedFlag } from "./row.ts";
import { findChainedFlag } from "./store.ts";
import { flag } from "./table.ts";

const PREDECESSOR =
  "id, rule, severity, rule_inputs, raised_at, resolved_at, snoozed_until, acked_at, acked_by, incident, hypothesis, chain, since, reports";

const predecessorById = statement<Predecessor, [string]>(`SELECT ${PREDECESSOR} FROM flag WHERE id = ?`);

// Spelt as the partial index spells it. What an operator resolved, or retiring the site did, is over for good.
const flowOver = statement<Predecessor, [string, string, string, number]>(
  `SELECT ${PREDECESSOR} FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND resolved_at >= ?
     AND status = 'resolved' AND renewed_by IS NULL AND rule IN (${FLOW_RULES.map((rule) => `'${rule}'`).join(", ")})
     AND resolution IN ('cleared', 'renewed', 'next_reading')
   ORDER BY resolved_at DESC, raised_at DESC, rowid DESC LIMIT 8`,
);

const doneByHand = statement<{ rule: string }, [string, string, string, string]>(
  `SELECT rule FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND rule_inputs ->> '$.day' = ?
     AND status = 'resolved' AND renewed_by IS NULL AND rule IN (${FLOW_RULES.map((rule) => `'${rule}'`).join(", ")})
     AND resolution = 'operator'`,
);

/** Whether an operator resolved what a flow rule says again of the same day: the same thing, whichever of its rules said it. */
export function isResolvedByHand(
  tx: Tx,
  of: {
    readonly asset: string;
    readonly source: SeriesSource;
    readonly metric: string;
    readonly rule: string;
    readonly day: string;
  },
): boolean {
  const { rules } = lineOf(of.rule);
  return doneByHand(tx)
    .all(of.asset, of.source, of.metric, of.day)
    .some(({ rule }) => rules.includes(rule));
}

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
    // Two rows stand at one place where an operator took resolving back: the later one renews the other.
    .orderBy(desc(flag.reports), sql`${flag.renewed_by} IS NOT NULL`)
    .limit(1)
    .get();
  return row === undefined ? findChainedFlag(db, first) : toChainedFlag(row);
}

/**
 * The flags of a chain before one of them, newest first, at most `limit`; one that an operator resolved and raised again stands at
 * the place of the one that renews it.
 */
export function listEarlier(db: Db, of: ChainedFlag, limit: number): ChainedFlag[] {
  if (of.renews === null) return [];
  const { first: firstId, reports } = of.chain;
  const raisedBefore = lt(flag.raised_at, parseInstant(of.raised_at) ?? 0);
  const isBefore = or(lt(flag.reports, reports), and(eq(flag.reports, reports), raisedBefore));
  const renewing = db
    .select()
    .from(flag)
    .where(and(eq(flag.chain, firstId), isNotNull(flag.renews), lte(flag.reports, reports), isBefore))
    .orderBy(desc(flag.reports), desc(flag.raised_at))
    .limit(limit)
    .all()
    .map(toChainedFlag);
  const first = renewing.length < limit ? findChainedFlag(db, firstId) : undefined;
  return first === undefined ? renewing : [...renewing, first];
}
