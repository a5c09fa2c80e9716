/** Recording what was said of lasting changes, in the caller's transaction: one open flag for as long as one lasts. */
import type { Tx } from "../db/mod.ts";
import { findHeldInputs, holdOpen, type RuleInputs, release } from "../flags/mod.ts";
import type { AssetId } from "../lib/asset_id.ts";
import { raisedTitle, seriesName } from "../rules/mod.ts";
import { isMoved } from "./lasting.ts";
import type { LastingRule } from "./metric_verdict.ts";
import type { RecordedBy } from "./record_verdicts.ts";

/**
 * Raises, brings up to date or resolves the flags. That of a change that stays keeps its first day and the level before it, once
 * these are known, and is over where the level is back at the one before.
 */
export function recordLasting(
  tx: Tx,
  asset: AssetId,
  rules: readonly LastingRule[],
  { now, newId }: RecordedBy,
  timeZone = "",
): void {
  for (const { rule, source, metric, state, inputs: found, severity, kind } of rules) {
    const held = { rule, asset, source, subject: metric };
    const open = findHeldInputs(tx, held);
    const lasts = open !== undefined && state !== "over" && isStillBeyond(found, open);
    if (open !== undefined && !lasts) release(tx, { ...held, now });
    if (state === "over" || (state === "stays" && !lasts)) continue;
    const { since, level_before, since_known } = lasts && open["since_known"] === true ? open : found;
    const inputs = {
      ...found,
      since,
      level_before,
      since_known,
      ...(timeZone !== "" && { time_zone: timeZone }),
    };
    holdOpen(tx, {
      ...held,
      severity,
      kind,
      metric,
      message: raisedTitle(rule, seriesName(metric, source), inputs, now),
      inputs,
      reading: { day: found["day"], level: found["level"], distance: found["distance"] },
      now,
      newId,
    });
  }
}

/** Whether the level lies on the flag's side of the one before it, by as much as a flag needs. */
function isStillBeyond(found: RuleInputs, { level_before, direction }: RuleInputs): boolean {
  const [level, before] = [Number(found["level"]), Number(level_before)];
  return (
    level < before === (direction === "decline") && isMoved(level, before, Number(found["lasting_percent"]))
  );
}
