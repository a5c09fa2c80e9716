/**
 * Money as the ledger has it: whole minor units of one currency. Units are a bigint that nothing outside this file can reach as a number
 * to reckon with, so the only sum there is stays within its currency and is exact at any size.
 */

import * as v from "valibot";
import {
  AssetIdSchema,
  CURRENCIES,
  currencyRule,
  fields,
  hasControl,
  isCurrencyCode,
  NO_CONTROL,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { addDays, parseUtcDay, utcDayOf } from "../base/time.ts";

declare const CODE: unique symbol;

/** The code of a currency that exists. */
export type Currency<Code extends string = string> = Code & { readonly [CODE]: Code };

export const isCurrency = (code: string): code is Currency => isCurrencyCode(code);

/** A code as a currency. Throws for any other text. */
export function currencyOf<const Code extends string>(code: Code): Currency<Code> {
  if (!isCurrencyCode(code)) throw new RangeError(`${code} is no currency`);
  return code as Currency<Code>;
}

/** Digits after the decimal point: 0 for JPY, 2 for USD, 3 for KWD. */
export function exponentOf(currency: Currency): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount of one currency. */
export class Amount<C extends Currency = Currency> {
  readonly currency: C;
  readonly #minor: bigint;

  /** Throws for a number that is not exact; -0 is 0. */
  constructor(currency: C, minor: number | bigint) {
    if (typeof minor === "number" && !Number.isSafeInteger(minor)) {
      throw new RangeError(`${minor} is no exact number of minor units`);
    }
    this.currency = currency;
    this.#minor = BigInt(minor);
  }

  /** The sum of amounts of one currency. Amounts of a currency known by name are refused by the compiler, any other at run time. */
  static sum<C extends Currency>(currency: C, amounts: Iterable<Amount<NoInfer<C>>>): Amount<C> {
    let minor = 0n;
    for (const amount of amounts) {
      if (amount.currency !== currency) {
        throw new RangeError(`${amount.currency} cannot be added to ${currency}`);
      }
      minor += amount.#minor;
    }
    return new Amount(currency, minor);
  }

  negated(): Amount<C> {
    return new Amount(this.currency, -this.#minor);
  }

  /** Minor units, for JSON and the database. Throws where a number cannot hold them exactly. */
  toJSON(): number {
    const minor = Number(this.#minor);
    if (!Number.isSafeInteger(minor)) throw new RangeError(`${this.#minor} is more than a number holds`);
    return minor;
  }

  /** As people read it, without its currency: "-1,234.56". Made of digits alone, so that nothing is rounded. */
  toString(): string {
    const exponent = exponentOf(this.currency);
    const digits = String(this.#minor)
      .replace("-", "")
      .padStart(exponent + 1, "0");
    const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(?:\d{3})+$)/g, ",");
    const fraction = exponent === 0 ? "" : `.${digits.slice(-exponent)}`;
    return `${this.#minor < 0n ? "−" : ""}${whole}${fraction}`;
  }
}

/** What a row of the ledger may hold (spec, Ledger; decisions, Ledger, notices, panels, calendars, attention). */

const COST_KINDS = ["inference", "external_api", "operator_minutes"] as const;
export const ENTRY_KINDS = ["revenue", ...COST_KINDS] as const;
export const REVENUE_STATUSES = ["estimated", "booked"] as const;
/** The `change` of inference that no change caused. */
export const OS_OVERHEAD = "os-overhead";
/** What an upload from before currencies is in. */
export const LEGACY_CURRENCY = "USD";

/** First month of a period, and how far ahead of the clock one may begin, in days: what is sold a year in advance. */
const FIRST_PERIOD = "2000-01";
const DAYS_AHEAD = 366;
/** What names somebody, and what refers to something (decisions, Names and lengths). */
const NAME = 200;
const REF = 512;
/** Longest work of one row: 100 people for a month. */
const MAX_MINUTES = 5_000_000;

const label = (most: number, description: string) =>
  v.pipe(
    text(most),
    rule<string>("min-length", (value) => value !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ minLength: 1, ...NO_CONTROL, description }),
  );

/** A field that may be absent: null says the same, so that what was answered can be sent again. */
const given = <S extends v.GenericSchema>(schema: S) => v.exactOptional(v.nullable(schema));

/** A month or a day. */
function isPeriod(period: string): boolean {
  return parseUtcDay(period.length === 7 ? `${period}-01` : period) !== undefined;
}

const periodSchema = (now: () => number) =>
  v.pipe(
    v.string(ruleMessage("type", "must be a string")),
    rule<string>("period", isPeriod, "must be a month such as 2026-03, or a day such as 2026-03-31"),
    rule<string>(
      "period-range",
      (period) =>
        !isPeriod(period) || (period >= FIRST_PERIOD && period <= addDays(utcDayOf(now()), DAYS_AHEAD)),
      `must not be before ${FIRST_PERIOD}, nor begin more than ${DAYS_AHEAD} days ahead`,
    ),
    v.metadata({ pattern: String.raw`^\d{4}-\d{2}(-\d{2})?$`, description: "A month or a day." }),
  );

/** A whole number between two bounds; -0 is 0. */
function whole(least: number, most: number, of: string) {
  const must = `must be a whole number of ${of} from ${least} to ${most}`;
  return v.pipe(
    v.number(ruleMessage("type", must)),
    rule<number>("range", (value) => Number.isInteger(value) && value >= least && value <= most, must),
    v.transform((value) => value + 0),
    v.metadata({ type: "integer", minimum: least, maximum: most }),
  );
}

const minorUnits = whole(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, "minor units");

const CurrencySchema = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  currencyRule,
  v.transform((code) => code as Currency),
  v.metadata({ type: "string", enum: CURRENCIES }),
);

const common = (now: () => number) => ({
  source: label(NAME, "Who pays or is paid, such as adsense, affiliate or stripe."),
  period: periodSchema(now),
  currency: given(CurrencySchema),
  ref: given(label(REF, "Tells two rows of one period apart, such as an invoice's number.")),
  legacy: given(v.boolean(ruleMessage("type", "must be true or false"))),
});

const enumOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, ruleMessage("enum", `must be one of ${values.join(", ")}`));

type Loose = Readonly<Record<string, unknown>>;
/** A rule over several fields that is broken: the field it is named at, the rule and what must hold. */
type Broken = readonly [field: string, rule: string, message: string];

/** Judges fields together, also where another field is broken, so that all is named at once. */
function together<S extends v.GenericSchema>(schema: S, judge: (row: Loose) => readonly Broken[]) {
  return v.pipe(
    schema,
    v.rawCheck<v.InferOutput<S>>(({ dataset, addIssue }) => {
      const input: unknown = dataset.value;
      if (typeof input !== "object" || input === null) return;
      for (const [key, code, message] of judge(input as Loose)) {
        const path = [{ type: "object", origin: "value", input: input as Loose, key, value: null }] as const;
        addIssue({ message: ruleMessage(code, message), path: [...path] });
      }
    }),
  );
}

const isGiven = (value: unknown): value is number => value !== null && value !== undefined;
const BESIDE =
  "must come with high, on an estimate, with amount between the two, for example 80, 100 and 120";

/** The contract of revenue. */
export function revenueSchema(now: () => number) {
  const entries = { amount: minorUnits, low: given(minorUnits), high: given(minorUnits), ...common(now) };
  return together(
    fields({ asset: AssetIdSchema, status: enumOf(REVENUE_STATUSES), ...entries }),
    ({ status, amount, low, high }) => {
      if (!isGiven(low) && !isGiven(high)) return [];
      const isRange = isGiven(low) && isGiven(high) && low <= Number(amount) && Number(amount) <= high;
      return isRange && status === "estimated" ? [] : [["low", "range-of-estimate", BESIDE]];
    },
  );
}

/** The contract of a cost. */
export function costSchema(now: () => number) {
  const change = given(label(REF, `A change's id, or ${OS_OVERHEAD}. Required for inference.`));
  const minutes = given(whole(0, MAX_MINUTES, "minutes"));
  const entries = { kind: enumOf(COST_KINDS), change, amount: given(minorUnits), minutes, ...common(now) };
  return together(fields({ asset: given(AssetIdSchema), ...entries }), (row) => {
    const isWork = row["kind"] === "operator_minutes";
    const [needed, barred] = isWork ? (["minutes", "amount"] as const) : (["amount", "minutes"] as const);
    const named = row["kind"] === "inference" ? [needed, "change"] : [needed];
    const missing = named
      .filter((name) => !isGiven(row[name]))
      .map((name): Broken => [name, "required", "must be present"]);
    return isGiven(row[barred]) ? [...missing, [barred, "kind", `must be absent beside ${needed}`]] : missing;
  });
}

/** Rows as they are sent. */
export type Revenue = v.InferOutput<ReturnType<typeof revenueSchema>>;
export type Cost = v.InferOutput<ReturnType<typeof costSchema>>;
