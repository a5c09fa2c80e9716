/** Flags from their records: what the read model must hold. */
import { ruleOf } from "../rules/mod.ts";
import type { NewFlag, RuleInputs, SeriesSource } from "./contract.ts";
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
      // Earlier releases wrote an object that changed whole, as `inputs`.
      const { inputs, changed } = data as { readonly inputs?: RuleInputs; readonly changed?: RuleInputs };
      if (inputs !== undefined) {
        const before = JSON.parse(state.rule_inputs ?? "{}") as RuleInputs;
        state = { ...state, rule_inputs: JSON.stringify({ ...before, ...inputs }) };
      } else if (changed !== undefined) {
        state = { ...state, rule_inputs: changedInputs(state.rule_inputs, changed) };
      }
    }
  }
  return state;
}

type Raised = Omit<NewFlag, "source"> & {
  /** Left out by releases that knew only series that sites send. */
  readonly source?: SeriesSource | null;
  readonly snoozed_until?: number | null;
  /** What it carries from the flag it renews. */
  readonly set?: Partial<FlagState>;
};

/** Before flags named the source of the series that was judged, only what sites sent was. */
function sourceOf({ source, rule }: Raised): SeriesSource | "" {
  const judges = ruleOf(rule)?.judges;
  const isSeries = judges === "flow" || judges === "total";
  return (source === undefined && isSeries ? "pulse" : source) ?? "";
}

function raisedState(id: string, at: number, raised: Raised): FlagState {
  return {
    id,
    asset: raised.asset,
    rule: raised.rule,
    source: sourceOf(raised),
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
