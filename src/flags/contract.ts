import * as v from "valibot";
import { AssetIdSchema } from "../lib/asset_id.ts";
import { PROVIDERS } from "../provider/contract.ts";
import { SENT } from "../rules/mod.ts";

export const SERIES_SOURCES = [SENT, ...PROVIDERS] as const;
export const FLAG_STATUSES = ["open", "resolved"] as const;
export const SEVERITIES = ["info", "warn", "error"] as const;
export const FLAG_KINDS = ["anomaly", "opportunity", "milestone"] as const;
export const FLAG_ORIGINS = ["site", "rule", "provider"] as const;

export type Severity = (typeof SEVERITIES)[number];
export type FlagKind = (typeof FLAG_KINDS)[number];
export type FlagOrigin = (typeof FLAG_ORIGINS)[number];
export type FlagStatus = (typeof FLAG_STATUSES)[number];
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

const Instant = v.pipe(v.string(), v.isoTimestamp());
const Text = v.nullable(v.string());

/** A flag as the service answers it: snake_case, times as ISO 8601, absent as null. Its type and the API's description are made of this. */
export const FlagSchema = v.object({
  id: v.string(),
  asset: AssetIdSchema,
  rule: v.pipe(Text, v.description("Null for a flag that a site sent.")),
  subject: v.string(),
  origin: v.picklist(FLAG_ORIGINS),
  severity: v.picklist(SEVERITIES),
  kind: v.picklist(FLAG_KINDS),
  metric: Text,
  message: v.string(),
  status: v.picklist(FLAG_STATUSES),
  rule_inputs: v.pipe(
    v.nullable(v.record(v.string(), v.unknown())),
    v.description("What the rule was given; reports are named by their date."),
  ),
  raised_at: Instant,
  resolved_at: v.nullable(Instant),
  resolution: Text,
  acked_at: v.nullable(Instant),
  acked_by: Text,
  snoozed_until: v.nullable(Instant),
  tuned_at: v.nullable(Instant),
  incident: Text,
  hypothesis: Text,
  source: v.nullable(v.picklist(SERIES_SOURCES)),
  renews: v.pipe(Text, v.description("The flag before, of which this one tells the same thing anew.")),
});

export type FlagRow = Readonly<v.InferOutput<typeof FlagSchema>>;

/** A flag to be raised. */
export type NewFlag = Pick<
  FlagRow,
  | "asset"
  | "rule"
  | "source"
  | "subject"
  | "origin"
  | "severity"
  | "kind"
  | "metric"
  | "message"
  | "rule_inputs"
>;

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
