/** The ledger by month: sums of one currency each, what is booked apart from what is estimated, and what is absent apart from 0. */

import { sql } from "drizzle-orm";
import type { Db } from "../store/store.ts";
import { Amount, type Currency, currencyOf, OS_OVERHEAD } from "./amount.ts";

const COST_PARTS = ["change", "overhead", "external_api", "operator_minutes"] as const;
type CostPart = (typeof COST_PARTS)[number];

/** A sum of estimates. */
export interface Estimate {
  /** From the least to the most; null where no row told an amount that may be shown. */
  readonly known: { readonly low: Amount; readonly high: Amount } | null;
  /** An affiliate estimate without a range is in it: what it comes to is not shown as a point. */
  readonly isOpen: boolean;
}

/** A sum of rows; null where there is none, which is not 0. */
export type Figure = Amount | Estimate | null;

/** The sums of one currency in one month. */
export interface MonthSums {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly booked: Amount | null;
  /** What is estimated and not booked yet. */
  readonly estimated: Estimate | null;
  /** What was estimated of what is booked by now. */
  readonly reconciled: Estimate | null;
  /** What was booked in the same month a year before. */
  readonly yearEarlier: Amount | null;
  readonly costs: Readonly<Record<CostPart, Amount | null>>;
}

/** One currency, by month. */
export interface CurrencyMonths {
  readonly currency: Currency;
  readonly sources: readonly string[];
  /** Rows that came without a currency and are taken as USD. */
  readonly legacy: number;
  /** What an hour of an operator was priced at. */
  readonly rates: readonly Amount[];
  readonly months: readonly MonthSums[];
}

/** The sum of what is there; null where nothing is. */
function sumOf(currency: Currency, amounts: readonly (Amount | null | undefined)[]): Amount | null {
  const known = amounts.filter((amount) => amount !== null && amount !== undefined);
  return known.length === 0 ? null : Amount.sum(currency, known);
}

/** All costs of a month; null without any row. */
export function costsOf(currency: Currency, { costs }: MonthSums): Amount | null {
  return sumOf(
    currency,
    COST_PARTS.map((part) => costs[part]),
  );
}

/**
 * Revenue less costs, with what is still estimated as its range. A month that lacks rows of either has none: taken as 0 they would make
 * a margin that nobody booked.
 */
export function marginOf(currency: Currency, sums: MonthSums): Figure {
  const { booked, estimated } = sums;
  const costs = costsOf(currency, sums);
  if (costs === null || (booked === null && estimated === null)) return null;
  const less = (revenue: Amount | undefined) => sumOf(currency, [booked, revenue, costs.negated()]);
  if (estimated === null) return less(undefined);
  const { known, isOpen } = estimated;
  const [low, high] = [less(known?.low), less(known?.high)];
  if (low === null || high === null || (known === null && booked === null)) return { known: null, isOpen };
  return { known: { low, high }, isOpen };
}

/** Sums of rows of one currency, month and source; in halves of 32 bits, since a sum may be more than an integer of SQLite holds. */
interface Sums {
  readonly currency: string;
  readonly month: string;
  readonly source: string;
  readonly part: CostPart | "booked" | "estimated" | "reconciled";
  /** An affiliate estimate without a range. */
  readonly is_open: 0 | 1;
  readonly legacy: number;
  readonly least_rate: number | null;
  readonly most_rate: number | null;
  readonly low_upper: number;
  readonly low_lower: number;
  readonly high_upper: number;
  readonly high_lower: number;
}

/** An estimate is reconciled once its source's revenue of the period, or of the month around it, is booked. */
const IS_RECONCILED = sql`EXISTS (SELECT 1 FROM ledger_entry AS b WHERE b.source = e.source AND b.period IN (e.period, substr(e.period, 1, 7))
  AND b.asset = e.asset AND b.status = 'booked' AND b.currency = e.currency)`;
const IS_OPEN = sql`(e.status = 'estimated' AND e.source LIKE 'affiliate%' AND e.low IS NULL) IS TRUE`;

/**
 * What was read of each database, by month. Rows are only added, and one changes sums of its own month alone, so that a thousand sites
 * are added up once, and then the months of new rows.
 */
interface Kept {
  /** The newest row that was looked at. */
  seen: number;
  readonly months: Map<string, readonly Sums[]>;
}
const keptOf = new WeakMap<Db, Kept>();

function keptUpToNow(db: Db): Kept {
  const kept = keptOf.get(db) ?? { seen: 0, months: new Map() };
  keptOf.set(db, kept);
  const added = db.all<{ month: string; newest: number }>(sql`
    SELECT substr(period, 1, 7) AS month, max(id) AS newest FROM ledger_entry WHERE id > ${kept.seen} GROUP BY 1`);
  for (const { month, newest } of added) {
    kept.seen = Math.max(kept.seen, newest);
    kept.months.delete(month);
  }
  return kept;
}

/** Reads the sums of these months, and of what was booked in the same months a year before. Without a site: of all, and of none alone. */
export function ledgerMonths(db: Db, months: readonly string[], asset?: string): CurrencyMonths[] {
  const kept = keptUpToNow(db);
  const readOf = (month: string) => {
    const read = kept.months.get(month) ?? readSums(db, { from: month, to: month, asset: undefined });
    kept.months.set(month, read);
    return read;
  };
  const [from = "", to = ""] = [months[0], months.at(-1)];
  const sums =
    asset === undefined
      ? [...new Set([...months.map(yearBefore), ...months])].flatMap(readOf)
      : readSums(db, { from: yearBefore(from), to, asset });
  return [...Map.groupBy(sums, ({ currency }) => currency)]
    .map(([code, all]) => ({ code, all, shown: all.filter(({ month }) => month >= from) }))
    .filter(({ shown }) => shown.length > 0)
    .sort((one, other) => other.shown.length - one.shown.length)
    .map(({ code, all, shown }) => currencyMonths(currencyOf<string>(code), shown, all, months));
}

/** The rows of months that no other corrects. */
const within = (from: string, to: string) =>
  sql`e.period >= ${from} AND e.period <= ${`${to}-31`} AND e.id NOT IN (SELECT corrects FROM ledger_entry WHERE corrects IS NOT NULL)`;

const halves = (end: "low" | "high") =>
  sql.raw(
    `sum(coalesce(${end}, amount) >> 32) AS ${end}_upper, sum(coalesce(${end}, amount) & 4294967295) AS ${end}_lower`,
  );

function readSums(
  db: Db,
  of: { readonly from: string; readonly to: string; readonly asset: string | undefined },
): Sums[] {
  const ofSite = of.asset === undefined ? sql`` : sql`AND e.asset = ${of.asset}`;
  return db.all<Sums>(sql`
    SELECT e.currency, substr(e.period, 1, 7) AS month, e.source, ${IS_OPEN} AS is_open,
      CASE WHEN e.status = 'booked' THEN 'booked' WHEN e.status = 'estimated' THEN iif(${IS_RECONCILED}, 'reconciled', 'estimated')
        WHEN e.kind = 'inference' THEN iif(e.change = ${OS_OVERHEAD}, 'overhead', 'change') ELSE e.kind END AS part,
      sum(e.currency_basis = 'legacy') AS legacy, min(e.rate) AS least_rate, max(e.rate) AS most_rate,
      ${halves("low")}, ${halves("high")}
    FROM ledger_entry AS e WHERE ${within(of.from, of.to)} ${ofSite} GROUP BY 1, 2, 3, 4, 5`);
}

function currencyMonths(
  currency: Currency,
  shown: readonly Sums[],
  sums: readonly Sums[],
  months: readonly string[],
): CurrencyMonths {
  const byCell = Map.groupBy(sums, ({ month, part, is_open }) => `${month} ${part} ${is_open}`);
  const end = (month: string, part: Sums["part"], which: "low" | "high") =>
    sumOf(
      currency,
      (byCell.get(`${month} ${part} 0`) ?? []).map(
        (one) =>
          new Amount(currency, BigInt(one[`${which}_upper`]) * 2n ** 32n + BigInt(one[`${which}_lower`])),
      ),
    );
  const estimateOf = (month: string, part: Sums["part"]): Estimate | null => {
    const isOpen = byCell.has(`${month} ${part} 1`);
    const [low, high] = [end(month, part, "low"), end(month, part, "high")];
    const known = low === null || high === null ? null : { low, high };
    return known === null && !isOpen ? null : { known, isOpen };
  };
  const rates = shown.flatMap(({ least_rate, most_rate }) => [least_rate ?? [], most_rate ?? []].flat());
  return {
    currency,
    sources: [...new Set(shown.map(({ source }) => source))].sort(),
    legacy: shown.reduce((count, { legacy }) => count + legacy, 0),
    rates: [...new Set(rates)].map((rate) => new Amount(currency, rate)),
    months: months.map((month) => {
      const booked = (of: string, part: Sums["part"] = "booked") => end(of, part, "low");
      return {
        month,
        booked: booked(month),
        estimated: estimateOf(month, "estimated"),
        reconciled: estimateOf(month, "reconciled"),
        yearEarlier: booked(yearBefore(month)),
        costs: Object.fromEntries(
          COST_PARTS.map((part) => [part, booked(month, part)]),
        ) as MonthSums["costs"],
      };
    }),
  };
}

const yearBefore = (month: string): string => `${Number(month.slice(0, 4)) - 1}${month.slice(4)}`;
