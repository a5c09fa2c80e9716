import type { Tx } from "../db/mod.ts";
import type { AssetId } from "../lib/asset_id.ts";
import { seriesName, titleFrom } from "../rules/mod.ts";
import { findPredecessor, listFlowFlagsOver } from "./chain_store.ts";
import type { FlagOrigin, RuleInputs, SeriesSource, Verdict } from "./contract.ts";
import { lineOf } from "./line.ts";
import { firstDayOf, isNear, type Predecessor, renewalOf } from "./renewal.ts";
import {
  insertOpenFlag,
  listOpenRuleFlags,
  markRenewed,
  type OpenRuleFlag,
  recordRenewed,
  resolveFlag,
} from "./store.ts";

/** A rule's verdict about one subject of an asset. */
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
export interface Reconciled {
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
