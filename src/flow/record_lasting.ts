/** Recording what was said of lasting changes, in the caller's transaction: one open flag for as long as one lasts. */
import type { Tx } from "../db/mod.ts";
import { findHeldInputs, holdOpen, release } from "../flags/mod.ts";
import type { AssetId } from "../lib/asset_id.ts";
import { raisedTitle, seriesName } from "../rules/mod.ts";
import type { LastingRule } from "./metric_verdict.ts";
import type { RecordedBy } from "./record_verdicts.ts";

/** Raises, brings up to date or resolves the flags; that of a change that stays keeps its first day and the level before it. */
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
    if (state === "over" && open !== undefined) release(tx, { ...held, now });
    if (state === "over" || (state === "stays" && open === undefined)) continue;
    const { since = found["since"], level_before = found["level_before"] } = open ?? {};
    const inputs = { ...found, since, level_before, ...(timeZone !== "" && { time_zone: timeZone }) };
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
