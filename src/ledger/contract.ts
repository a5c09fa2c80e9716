/** What a row of the ledger may hold (spec, Ledger; decisions, Ledger, notices, panels, calendars, attention). */
import * as v from "valibot";
import { AssetIdSchema } from "../lib/asset_id.ts";
import { fields, hasControl, NO_CONTROL, rule, ruleMessage, text } from "../lib/contract.ts";
import { addDays, parseUtcDay, utcDayOf } from "../lib/utc_day.ts";
import { CURRENCIES, type Currency, isCurrency } from "./amount.ts";

/** Largest body of a row, in bytes. */
export const MAX_ENTRY_BYTES = 16 * 1024;

export const COST_KINDS = ["inference", "external_api", "operator_minutes"] as const;
export const ENTRY_KINDS = ["revenue", ...COST_KINDS] as const;
export const REVENUE_STATUSES = ["estimated", "booked"] as const;
/** The `change` of inference that no change caused. */
export const OS_OVERHEAD = "os-overhead";
/** What an upload from before currencies is in. */
export const LEGACY_CURRENCY = "USD";

/** First month of a period, and how far ahead of the clock one may begin, in days: what is sold a year in advance. */
const FIRST_PERIOD = "2000-01";
const DAYS_AHEAD = 366;
const MAX_SOURCE = 128;
const MAX_REF = 512;
/** Longest work of one row: 100 people for a month. */
const MAX_MINUTES = 5_000_000;
const MINUTES = `must be a whole number of minutes from 0 to ${MAX_MINUTES}`;

const label = (max: number, description: string) =>
  v.pipe(
    text(max),
    rule<string>("min-length", (value) => value !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ minLength: 1, ...NO_CONTROL, description }),
  );

/** A field that may be absent: null says the same, so that what was answered can be sent again. */
const given = <S extends v.GenericSchema>(schema: S) => v.exactOptional(v.nullable(schema));

/** A month or a day. */
export function isPeriod(period: string): boolean {
  return parseUtcDay(period.length === 7 ? `${period}-01` : period) !== undefined;
}

const periodSchema = (now: () => number) =>
  v.pipe(
    v.string(ruleMessage("type", "must be a string")),
    rule<string>("period", isPeriod, "must be a month such as 2026-03, or a day such as 2026-03-31"),
    rule<string>(
      "period-range",
      (period) => !isPeriod(period) || (period >= FIRST_PERIOD && period <= lastPeriod(now())),
      `must not be before ${FIRST_PERIOD}, nor begin more than ${DAYS_AHEAD} days ahead`,
    ),
    v.metadata({ pattern: String.raw`^\d{4}-\d{2}(-\d{2})?$`, description: "A month or a day." }),
  );

const lastPeriod = (now: number): string =>
  Number.isFinite(now) ? addDays(utcDayOf(now), DAYS_AHEAD) : "9999-12-31";

const MOST = Number.MAX_SAFE_INTEGER;
const minorUnits = (description: string) => {
  const must = `must be a whole number of minor units from ${-MOST} to ${MOST}, such as 1250 for 12.50 USD`;
  return v.pipe(
    v.number(ruleMessage("type", must)),
    rule<number>("minor-units", Number.isSafeInteger, must),
    // -0 becomes 0.
    v.transform((minor) => minor + 0),
    v.metadata({ type: "integer", minimum: -MOST, maximum: MOST, description }),
  );
};

const CurrencySchema = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  rule<string>("currency", isCurrency, "must be an uppercase ISO 4217 code such as EUR"),
  v.transform((code) => code as Currency),
  v.metadata({
    type: "string",
    enum: CURRENCIES,
    description: "Absent: the original's in a correction, USD where `legacy` is true.",
  }),
);

const common = (now: () => number) => ({
  source: label(MAX_SOURCE, "Who pays or is paid, such as adsense, affiliate or stripe."),
  period: periodSchema(now),
  currency: given(CurrencySchema),
  ref: given(label(MAX_REF, "Tells two rows of one period apart, such as an invoice's number.")),
  legacy: given(
    v.pipe(v.boolean(ruleMessage("type", "must be true or false")), v.description("From before currencies.")),
  ),
});

const enumOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, ruleMessage("enum", `must be one of ${values.join(", ")}`));

/** A rule over fields that hold each other: the field at fault, the rule and what must hold. */
type Together = readonly [field: string, rule: string, message: string];
type Loose = Readonly<Record<string, unknown>>;

/** Judges fields together, also where another field is broken, so that all is named at once. */
function together<S extends v.GenericSchema>(schema: S, judge: (row: Loose) => readonly Together[]) {
  return v.pipe(
    schema,
    v.rawCheck<v.InferOutput<S>>(({ dataset, addIssue }) => {
      const row: unknown = dataset.value;
      if (typeof row !== "object" || row === null) return;
      for (const [key, code, message] of judge(row as Loose)) {
        const value = (row as Loose)[key] ?? null;
        addIssue({
          message: ruleMessage(code, message),
          path: [{ type: "object", origin: "value", input: row as Loose, key, value }],
        });
      }
    }),
  );
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined;
const MISSING = ["required", "must be present"] as const;

/** The contract of revenue. */
export function revenueSchema(now: () => number) {
  return together(
    fields({
      asset: AssetIdSchema,
      ...common(now),
      status: enumOf(REVENUE_STATUSES),
      amount: minorUnits("Minor units; negative for a refund."),
      low: given(minorUnits("The lower end of an estimate.")),
      high: given(minorUnits("The upper end of an estimate.")),
    }),
    ({ status, amount, low, high }) => {
      const ends = ([low, high] as const).filter((end) => !isAbsent(end));
      if (ends.length === 0) return [];
      if (status === "booked") {
        return [
          [isAbsent(low) ? "high" : "low", "estimate-only", "belongs to an estimate, not to a booked row"],
        ];
      }
      if (isAbsent(low)) return [["low", "pair", "must be present beside high"]];
      if (isAbsent(high)) return [["high", "pair", "must be present beside low"]];
      return [
        ...(Number(low) > Number(amount) ? [["low", "range", "must not be above amount"] as const] : []),
        ...(Number(high) < Number(amount) ? [["high", "range", "must not be below amount"] as const] : []),
      ];
    },
  );
}

/** The contract of a cost. */
export function costSchema(now: () => number) {
  return together(
    fields({
      asset: given(AssetIdSchema),
      kind: enumOf(COST_KINDS),
      ...common(now),
      change: given(label(MAX_REF, `A change's id, or ${OS_OVERHEAD}. Required for inference.`)),
      amount: given(minorUnits("Minor units; of all kinds but operator_minutes.")),
      minutes: given(
        v.pipe(
          v.number(ruleMessage("type", MINUTES)),
          rule<number>(
            "range",
            (minutes) => Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_MINUTES,
            MINUTES,
          ),
          v.metadata({
            type: "integer",
            minimum: 0,
            maximum: MAX_MINUTES,
            description: "Of operator_minutes: priced by the operator rate in force.",
          }),
        ),
      ),
    }),
    ({ kind, change, amount, minutes }) => {
      const isWork = kind === "operator_minutes";
      const [needed, barred] = isWork ? (["minutes", "amount"] as const) : (["amount", "minutes"] as const);
      const values = { amount, minutes };
      const isKnown = COST_KINDS.some((known) => known === kind);
      return [
        ...(kind === "inference" && isAbsent(change) ? [["change", ...MISSING] as const] : []),
        ...(isKnown && isAbsent(values[needed]) ? [[needed, ...MISSING] as const] : []),
        ...(isKnown && !isAbsent(values[barred])
          ? [[barred, "kind", `must be absent: ${kind} takes ${needed}`] as const]
          : []),
      ];
    },
  );
}

/** Rows as they are sent. */
export type Revenue = v.InferOutput<ReturnType<typeof revenueSchema>>;
export type Cost = v.InferOutput<ReturnType<typeof costSchema>>;
