import { formatInstant } from "../lib/instant.ts";
import type { FlagRecordRow, RuleInputs } from "./contract.ts";
import type { flagRecord } from "./table.ts";

const TIMES = new Set(["resolved_at", "acked_at", "snoozed_until", "tuned_at", "since"]);

/** A stored entry of a flag's history as the service answers it: times as text, inputs as an object. */
export function toRecordRow(row: typeof flagRecord.$inferSelect): FlagRecordRow {
  const data = JSON.parse(row.data) as RuleInputs;
  const set = data["set"] as RuleInputs | undefined;
  return {
    at: formatInstant(row.at),
    type: row.type,
    actor: row.actor,
    data: set === undefined ? readable(data) : { ...readable(data), set: readable(set) },
  };
}

function readable(columns: RuleInputs): RuleInputs {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => {
      if (TIMES.has(name) && typeof value === "number") return [name, formatInstant(value)];
      if (name === "rule_inputs" && typeof value === "string") return [name, JSON.parse(value)];
      return [name, value];
    }),
  );
}
