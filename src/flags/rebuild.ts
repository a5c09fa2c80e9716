/** Flags from their records: what the read model must hold. */
import type { NewFlag } from "./contract.ts";
import type { flag, flagRecord } from "./table.ts";

type FlagState = typeof flag.$inferSelect;
type RecordState = Pick<typeof flagRecord.$inferSelect, "at" | "type" | "data">;

/** The row a flag's records lead to, oldest first; undefined when they do not begin with "raised". */
export function rebuildFlag(id: string, records: readonly RecordState[]): FlagState | undefined {
  let state: FlagState | undefined;
  for (const record of records) {
    const data = JSON.parse(record.data) as Record<string, unknown>;
    if (record.type === "raised") {
      if (state !== undefined) return undefined;
      state = raisedState(id, record.at, data as unknown as NewFlag);
    } else if (state === undefined) {
      return undefined;
    } else if (record.type === "resolved") {
      state = {
        ...state,
        status: "resolved",
        resolved_at: record.at,
        resolution: String(data["resolution"]),
      };
    } else {
      state = { ...state, ...(data["set"] as Partial<FlagState> | undefined) };
    }
  }
  return state;
}

function raisedState(
  id: string,
  at: number,
  raised: NewFlag & { readonly snoozed_until?: number | null },
): FlagState {
  return {
    id,
    asset: raised.asset,
    rule: raised.rule,
    subject: raised.subject,
    origin: raised.origin,
    severity: raised.severity,
    kind: raised.kind,
    metric: raised.metric,
    message: raised.message,
    status: "open",
    rule_inputs: raised.rule_inputs === null ? null : JSON.stringify(raised.rule_inputs),
    raised_at: at,
    resolved_at: null,
    resolution: null,
    acked_at: null,
    acked_by: null,
    snoozed_until: raised.snoozed_until ?? null,
    tuned_at: null,
    incident: null,
    hypothesis: null,
  };
}
