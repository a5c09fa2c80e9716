import type { AssetId } from "../lib/asset_id.ts";

export type Severity = "info" | "warn" | "error";
export type FlagKind = "anomaly" | "opportunity" | "milestone";
export type FlagOrigin = "site" | "rule" | "provider";
export type FlagStatus = "open" | "resolved";

/** What a rule says of one asset and subject. */
export type Verdict =
  /** The rule's input is absent: it neither resolves nor raises. */
  | { readonly state: "not_run" }
  /** The condition does not hold. */
  | { readonly state: "clear" }
  /** The condition holds. */
  | {
      readonly state: "fires";
      readonly severity: Severity;
      readonly kind: FlagKind;
      readonly message: string;
      readonly inputs: RuleInputs;
    };

/** The numbers, reports and thresholds a rule used: what makes a flag provable. */
export type RuleInputs = { readonly [key: string]: unknown };

/** A flag to be raised. */
export interface NewFlag {
  readonly asset: AssetId;
  readonly rule: string | null;
  readonly subject: string;
  readonly origin: FlagOrigin;
  readonly severity: Severity;
  readonly kind: FlagKind;
  readonly metric: string | null;
  readonly message: string;
  readonly rule_inputs: RuleInputs | null;
}

/** A flag as the service answers it: snake_case, times as ISO 8601, absent as null. */
export interface FlagRow {
  readonly id: string;
  readonly asset: AssetId;
  readonly rule: string | null;
  readonly subject: string;
  readonly origin: FlagOrigin;
  readonly severity: Severity;
  readonly kind: FlagKind;
  readonly metric: string | null;
  readonly message: string;
  readonly status: FlagStatus;
  readonly rule_inputs: RuleInputs | null;
  readonly raised_at: string;
  readonly resolved_at: string | null;
  readonly resolution: string | null;
  readonly acked_at: string | null;
  readonly acked_by: string | null;
  readonly snoozed_until: string | null;
  readonly tuned_at: string | null;
  readonly incident: string | null;
  readonly hypothesis: string | null;
}

/** One entry of a flag's history. */
export interface FlagRecordRow {
  readonly at: string;
  readonly type: "raised" | "evidence" | "resolved" | "act";
  readonly actor: string;
  readonly data: RuleInputs;
}

export const SEVERITIES: readonly Severity[] = ["info", "warn", "error"];
export const FLAG_KINDS: readonly FlagKind[] = ["anomaly", "opportunity", "milestone"];
export const FLAG_ORIGINS: readonly FlagOrigin[] = ["site", "rule", "provider"];
