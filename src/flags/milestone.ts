import { statement, type Tx } from "../db/mod.ts";
import type { NewFlag } from "./contract.ts";
import { insertOpenFlag, resolveFlag } from "./store.ts";

/** Raises a flag that says something and is over: a milestone asks for nothing. */
export function raiseResolved(
  tx: Tx,
  raised: NewFlag,
  by: { readonly id: string; readonly now: number; readonly actor: string; readonly resolution: string },
): void {
  insertOpenFlag(tx, by.id, raised, by.now, by.actor);
  resolveFlag(tx, by.id, by.resolution, by.now, by.actor);
}

const highestOf = statement<{ milestone: number | null }, [string, string]>(
  `SELECT max(json_extract(rule_inputs, '$.milestone')) AS milestone FROM flag
   WHERE asset = ? AND metric = ? AND rule = 'milestone-total'`,
);

/** The highest milestone of a series that was ever raised: a total that was corrected down passes nothing twice. */
export function latestMilestone(tx: Tx, asset: string, _source: string, metric: string): number | undefined {
  return highestOf(tx).first(asset, metric)?.milestone ?? undefined;
}
