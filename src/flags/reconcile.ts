import type { Tx } from "../db/mod.ts";
import type { AssetId } from "../lib/asset_id.ts";
import type { FlagOrigin, Verdict } from "./contract.ts";
import { insertOpenFlag, listOpenRuleFlags, resolveFlag } from "./store.ts";

/** A rule's verdict about one subject of an asset. */
export interface JudgedRule {
  readonly rule: string;
  readonly subject: string;
  readonly metric: string | null;
  readonly verdict: Verdict;
}

/** An alert that changed state. */
export interface ChangedAlert {
  readonly id: string;
  readonly rule: string;
}

/** What reconciling did. */
export interface Reconciled {
  readonly raised: readonly ChangedAlert[];
  readonly resolved: readonly ChangedAlert[];
}

/** Why a rule resolves its own alert before judging anew (spec, Codebase alert). */
export const RESOLUTION = { cleared: "cleared", renewed: "renewed" } as const;

/**
 * Applies verdicts to the open alerts of an asset: each rule first resolves its own open alert, then raises a new one if it
 * fires. A rule that did not run neither resolves nor raises. Runs inside the caller's transaction.
 */
export function reconcileAlerts(
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
  const raised: ChangedAlert[] = [];
  const resolved: ChangedAlert[] = [];
  const open = listOpenRuleFlags(tx, asset);
  for (const { rule, subject, metric, verdict } of judged) {
    if (verdict.state === "not_run") continue;
    const fires = verdict.state === "fires";
    for (const own of open) {
      if (own.rule !== rule || own.subject !== subject) continue;
      resolveFlag(tx, own.id, fires ? RESOLUTION.renewed : RESOLUTION.cleared, now, actor);
      resolved.push({ id: own.id, rule });
    }
    if (!fires) continue;
    const id = newId();
    const { severity, kind, message, inputs } = verdict;
    insertOpenFlag(
      tx,
      id,
      { asset, rule, subject, origin, severity, kind, metric, message, rule_inputs: inputs },
      now,
      actor,
    );
    raised.push({ id, rule });
  }
  return { raised, resolved };
}
