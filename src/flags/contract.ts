import type { AssetId } from "../lib/asset_id.ts";
import { PROVIDERS } from "../provider/contract.ts";
import { SENT } from "../rules/mod.ts";

export type Severity = "info" | "warn" | "error";
export type FlagKind = "anomaly" | "opportunity" | "milestone";
export type FlagOrigin = "site" | "rule" | "provider";
export type FlagStatus = "open" | "resolved";
/** Where a judged series comes from. A provider's figure never shares a flag with one that a site sent under the same name. */
export type SeriesSource = (typeof SERIES_SOURCES)[number];

/** What a rule says of one asset and subject. */
export type Verdict =
  /** The rule's input is absent: it neither resolves nor raises. */
  | { readonly state: "not_run" }
  /** The condition does not hold. */
  | { readonly state: "clear" }
  /** The reading before is behind, and the new one cannot be tested: nothing is known of the condition. */
  | { readonly state: "next_reading" }
  /** The condition holds. */
  | {
      readonly state: "fires";
      readonly severity: Severity;
      readonly kind: FlagKind;
      /** Left out by a rule whose words are made of its inputs. */
      readonly message?: string;
      readonly inputs: RuleInputs;
    };

/** The numbers, reports and thresholds a rule used: what makes a flag provable. */
export type RuleInputs = { readonly [key: string]: unknown };

/** A flag to be raised. */
export interface NewFlag {
  readonly asset: AssetId;
  readonly rule: string | null;
  /** Null where no series is judged. */
  readonly source: SeriesSource | null;
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
  readonly source: SeriesSource | null;
  /** The flag that told the same lasting thing before. */
  readonly renews: string | null;
}

/** A flag with its place among the rows that tell one lasting thing. */
export interface ChainedFlag extends FlagRow {
  readonly chain: {
    /** The first flag of the chain; its own id where it renews nothing. */
    readonly first: string;
    /** When that was raised. */
    readonly since: string;
    /** Over how many reports the thing had lasted with this one. */
    readonly reports: number;
    /** The flag that tells it anew; null while this is the last one. */
    readonly renewed_by: string | null;
  };
}

/** One entry of a flag's history. */
export interface FlagRecordRow {
  readonly at: string;
  readonly type: "raised" | "evidence" | "resolved" | "renewed" | "act";
  readonly actor: string;
  readonly data: RuleInputs;
}

export const SERIES_SOURCES = [SENT, ...PROVIDERS] as const;
export const FLAG_STATUSES = ["open", "resolved"] as const;
export const SEVERITIES: readonly Severity[] = ["info", "warn", "error"];
export const FLAG_KINDS: readonly FlagKind[] = ["anomaly", "opportunity", "milestone"];
export const FLAG_ORIGINS: readonly FlagOrigin[] = ["site", "rule", "provider"];
