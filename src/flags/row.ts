import { formatInstant } from "../lib/instant.ts";
import type { ChainedFlag, FlagRow, RuleInputs } from "./contract.ts";
import type { flag } from "./table.ts";

/** A stored flag as the service answers it. */
export function toFlagRow(row: typeof flag.$inferSelect): FlagRow {
  return {
    id: row.id,
    asset: row.asset,
    rule: row.rule,
    subject: row.subject,
    origin: row.origin,
    severity: row.severity,
    kind: row.kind,
    metric: row.metric,
    message: row.message,
    status: row.status,
    rule_inputs: row.rule_inputs === null ? null : (JSON.parse(row.rule_inputs) as RuleInputs),
    raised_at: formatInstant(row.raised_at),
    resolved_at: instantOrNull(row.resolved_at),
    resolution: row.resolution,
    acked_at: instantOrNull(row.acked_at),
    acked_by: row.acked_by,
    snoozed_until: instantOrNull(row.snoozed_until),
    tuned_at: instantOrNull(row.tuned_at),
    incident: row.incident,
    hypothesis: row.hypothesis,
    source: row.source === "" ? null : row.source,
    renews: row.renews,
  };
}

/** A stored flag with its place in its chain. */
export function toChainedFlag(row: typeof flag.$inferSelect): ChainedFlag {
  return {
    ...toFlagRow(row),
    chain: {
      first: row.chain,
      since: formatInstant(row.since),
      reports: row.reports,
      renewed_by: row.renewed_by,
    },
  };
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms);
}
