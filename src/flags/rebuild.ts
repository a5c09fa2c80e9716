/** Flags from their records: what the read model must hold. */
import type { NewFlag, RuleInputs } from "./contract.ts";
import { changedInputs } from "./input_change.ts";
import type { flag, flagRecord } from "./table.ts";

export type FlagState = typeof flag.$inferSelect;
/** A record as far as a flag is made of it. */
export type RecordState = Pick<typeof flagRecord.$inferSelect, "at" | "type" | "data">;

/** The row a flag's records lead to, oldest first; undefined when they do not begin with "raised". */
export function rebuildFlag(id: string, records: readonly RecordState[]): FlagState | undefined {
  let state: FlagState | undefined;
  for (const record of records) {
    const data = JSON.parse(record.data) as Record<string, unknown>;
    if (record.type === "raised") {
      if (state !== undefined) return undefined;
      state = raisedState(id, record.at, data as unknown as Raised);
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
      const changed = data["changed"] as RuleInputs | undefined;
      if (changed !== undefined) {
        state = { ...state, rule_inputs: changedInputs(state.rule_inputs, changed) };
      }
    }
  }
  return state;
}

type Raised = NewFlag & {
  readonly snoozed_until?: number | null;
  /** What it carries from the flag it renews. */
  readonly set?: Partial<FlagState>;
};

function raisedState(id: string, at: number, raised: Raised): FlagState {
  return {
    id,
    asset: raised.asset,
    rule: raised.rule,
    source: raised.source ?? "",
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
    renews: null,
    renewed_by: null,
    chain: id,
    since: at,
    reports: 1,
    ...raised.set,
  };
}
