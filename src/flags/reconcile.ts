/** A rule's verdict about one subject of an asset. */

import { and, desc, eq, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import type { AssetId } from "../base/contract.ts";
import { parseInstant } from "../base/time.ts";
import { seriesName } from "../sites/flag_titles.ts";
import { FLOW_RULES, titleFrom } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  type ChainedFlag,
  type FlagOrigin,
  flag,
  type RuleInputs,
  type SeriesSource,
  type Verdict,
} from "./flags.ts";
import { toChainedFlag } from "./moments.ts";
import { firstDayOf, isNear, type Predecessor, renewalOf } from "./renewal.ts";
import { lineOf } from "./replay.ts";
import {
  findChainedFlag,
  insertOpenFlag,
  listOpenRuleFlags,
  markRenewed,
  type OpenRuleFlag,
  recordRenewed,
  resolveFlag,
} from "./store.ts";

/** Queries along the rows that tell one lasting thing. */

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

export interface JudgedRule {
  readonly rule: string;
  /** Where the judged series comes from; null where the rule judges none. */
  readonly source: SeriesSource | null;
  readonly subject: string;
  readonly metric: string | null;
  readonly verdict: Verdict;
}

/** A flag that changed state. */
export interface ChangedFlag {
  readonly id: string;
  readonly rule: string;
}

/** What reconciling did. */
interface Reconciled {
  readonly raised: readonly ChangedFlag[];
  readonly resolved: readonly ChangedFlag[];
}

/** Why a rule resolves its own flag before judging anew (spec, Codebase alert). */
export const RESOLUTION = { cleared: "cleared", renewed: "renewed", next_reading: "next_reading" } as const;

type Fires = Extract<Verdict, { state: "fires" }>;

/**
 * Applies verdicts to the open flags of an asset: each rule first resolves its own open flag, then raises a new one if it
 * fires. A rule that did not run neither resolves nor raises. What is resolved and raised again is one lasting thing: the new
 * row renews the old one and carries what an operator made of it. Runs inside the caller's transaction.
 */
export function reconcileFlags(
  tx: Tx,
  options: {
    readonly asset: AssetId;
    readonly origin: FlagOrigin;
    readonly judged: readonly JudgedRule[];
    readonly now: number;
    readonly actor: string;
    readonly newId: () => string;
  },
): Reconciled {
  const { asset, origin, judged, now, actor, newId } = options;
  const raised: ChangedFlag[] = [];
  const resolved: ChangedFlag[] = [];
  // One of each: a unique index holds it.
  const openFlags = listOpenRuleFlags(tx, asset);
  // A night like any other: one look, and nothing is to be said of any metric.
  if (openFlags.length === 0 && judged.every(({ verdict }) => verdict.state !== "fires")) {
    return { raised, resolved };
  }
  const open = Map.groupBy(openFlags, keyOf);
  const goesOn = new Set(judged.flatMap((one) => (one.verdict.state === "fires" ? [lineKeyOf(one)] : [])));
  const ended = new Map<string, OpenRuleFlag>();
  for (const one of judged) {
    const { rule, source, subject, metric, verdict } = one;
    if (verdict.state === "not_run") continue;
    const line = lineKeyOf(one);
    const id = verdict.state === "fires" ? newId() : null;
    const own = open.get(keyOf(one))?.[0];
    if (own !== undefined) {
      resolveFlag(tx, own.id, goesOn.has(line) ? RESOLUTION.renewed : endOf(verdict), now, actor, id);
      resolved.push({ id: own.id, rule });
      ended.set(line, own);
    }
    if (verdict.state !== "fires" || id === null) continue;
    const before = predecessorOf(tx, asset, one, verdict, ended.get(line), now);
    const { severity, kind } = verdict;
    const rule_inputs = inputsOf(one, verdict, before);
    const about = seriesName(metric ?? subject, source);
    insertOpenFlag(
      tx,
      id,
      {
        asset,
        rule,
        source,
        subject,
        origin,
        severity,
        kind,
        metric,
        message: titleFrom(rule, about, rule_inputs, now) ?? verdict.message ?? rule,
        rule_inputs,
      },
      now,
      actor,
      before === undefined ? undefined : renewalOf(before, severity, now),
    );
    if (before !== undefined) {
      if (before.id === own?.id) recordRenewed(tx, before.id, id, now, actor);
      else markRenewed(tx, before.id, id, now, actor);
    }
    raised.push({ id, rule });
  }
  return { raised, resolved };
}

/** Why a flag that nothing goes on with is over: what could not be tested is not said to be over. */
function endOf({ state }: Verdict): string {
  return state === "next_reading" ? RESOLUTION.next_reading : RESOLUTION.cleared;
}

/** The flag that the one to be raised goes on with: the one just resolved, else one that an earlier reading resolved. */
function predecessorOf(
  tx: Tx,
  asset: AssetId,
  { rule, source, metric }: JudgedRule,
  { inputs }: Fires,
  justResolved: OpenRuleFlag | undefined,
  now: number,
): Predecessor | undefined {
  if (justResolved !== undefined) return findPredecessor(tx, justResolved.id);
  const { rules, gapMs } = lineOf(rule);
  if (gapMs === 0 || metric === null) return undefined;
  const over = listFlowFlagsOver(tx, { asset, source, metric, since: now - gapMs });
  return over.find((before) => rules.includes(before.rule ?? "") && isNear(before, inputs, now));
}

/** A flow flag is read by itself, night after night: its inputs say since when. */
function inputsOf({ rule }: JudgedRule, { inputs }: Fires, before: Predecessor | undefined): RuleInputs {
  if (before === undefined || lineOf(rule).gapMs === 0) return inputs;
  return { ...inputs, since: firstDayOf(before) };
}

function keyOf(of: Pick<JudgedRule, "source" | "subject"> & { readonly rule: string | null }): string {
  return JSON.stringify([of.rule, of.source, of.subject]);
}

function lineKeyOf({ rule, source, subject }: JudgedRule): string {
  return JSON.stringify([lineOf(rule).rules[0], source, subject]);
}
