/**
 * The ledger: revenue and costs of sites, in minor units of one currency each (`amount.ts`).
 *
 * A row is posted (`api.ts`) or a CSV file is imported (`csv.ts`) → `decide` here compares it with the current row of its identity
 * → stored, a replay (the same again), or a correction, which supersedes the row before it and keeps the currency of the original.
 * The page of months is summed at the end of this file: booked and estimated amounts are kept apart, and so are absent ones and 0.
 *
 * Rows are never changed: the current row of an identity is the one that no other corrects. Start with the table below, then `decide`.
 */

import { and, desc, eq, gte, lte, or, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { BrokenRule } from "../base/contract.ts";
import { formatInstant, type UtcDay } from "../base/time.ts";
import { hasAsset, nearSites } from "../sites/sites.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  Amount,
  type Cost,
  type Currency,
  currencyOf,
  LEGACY_CURRENCY,
  OS_OVERHEAD,
  type Revenue,
} from "./amount.ts";

/**
 * Revenue and costs. Append-only: another amount for one identity (asset, kind, source, period, status, change, ref) is a new row that
 * names the one it corrects. Its currency is the original's.
 */
export const ledgerEntry = sqliteTable(
  "ledger_entry",
  {
    id: integer("id").primaryKey(),
    /** Null for a cost of all sites. */
    asset: text("asset"),
    kind: text("kind", { enum: ["revenue", "inference", "external_api", "operator_minutes"] }).notNull(),
    source: text("source").notNull(),
    /** A month or a day. */
    period: text("period").notNull(),
    /** Of revenue. */
    status: text("status", { enum: ["estimated", "booked"] }),
    change: text("change"),
    ref: text("ref"),
    /** Of an operator's work, with the price of an hour in minor units as it was at entry. */
    minutes: integer("minutes"),
    rate: integer("rate"),
    /** Minor units. */
    amount: integer("amount").notNull(),
    /** The range of an estimate. */
    low: integer("low"),
    high: integer("high"),
    currency: text("currency").notNull(),
    currency_basis: text("currency_basis", { enum: ["stated", "legacy"] }).notNull(),
    corrects: integer("corrects").references((): AnySQLiteColumn => ledgerEntry.id),
    recorded_at: integer("recorded_at").notNull(),
    recorded_by: text("recorded_by").notNull(),
  },
  (t) => [
    index("ledger_entry_identity").on(t.source, t.period, t.asset, t.ref),
    index("ledger_entry_period").on(t.period, t.id),
    index("ledger_entry_asset").on(t.asset, t.period, t.id),
    // A row is corrected once: what corrects it is corrected next.
    uniqueIndex("ledger_entry_corrects").on(t.corrects),
    check(
      "ledger_entry_kind",
      sql`${t.kind} IN ('revenue', 'inference', 'external_api', 'operator_minutes')`,
    ),
    check("ledger_entry_revenue", sql`(${t.kind} = 'revenue') = (${t.status} IS NOT NULL)`),
    check("ledger_entry_range", sql`${t.low} <= ${t.amount} AND ${t.amount} <= ${t.high}`),
  ],
);

type Row = typeof ledgerEntry.$inferSelect;

/** A stored row; `low` and `high` are the range of an estimate. */
export interface LedgerRow extends Omit<Row, "amount" | "low" | "high" | "currency"> {
  readonly currency: Currency;
  readonly amount: Amount;
  readonly low: Amount | null;
  readonly high: Amount | null;
}

function toLedgerRow(row: Row): LedgerRow {
  const currency = currencyOf<string>(row.currency);
  const [low, high] = [row.low, row.high].map((minor) =>
    minor === null ? null : new Amount(currency, minor),
  );
  return { ...row, currency, amount: new Amount(currency, row.amount), low: low ?? null, high: high ?? null };
}

/** An affiliate's estimate without a range: its amount is never shown as a point. */
export function isOpenEstimate({
  status,
  source,
  low,
}: Pick<LedgerRow, "status" | "source" | "low">): boolean {
  return status === "estimated" && /^affiliate/i.test(source) && low === null;
}

/** A row as the API answers it: a range only where there is one. */
export function answerOf(row: LedgerRow): Record<string, unknown> {
  const { id, low, high, corrects, recorded_at, ...rest } = row;
  const range = low === null ? {} : { low, high };
  const superseded = corrects === null ? null : String(corrects);
  return { id: String(id), ...rest, ...range, corrects: superseded, recorded_at: formatInstant(recorded_at) };
}

/** Who records, when (milliseconds since the epoch), and what an operator's hour costs by currency, in minor units. */
export interface RecordedBy {
  readonly by: string;
  readonly now: number;
  readonly rates?: Readonly<Record<string, number>>;
}

export const revenueEntry = (revenue: Revenue): Entry => ({ ...revenue, kind: "revenue" });

export const recordRevenue = (tx: Tx, revenue: Revenue, by: RecordedBy) =>
  recordCost(tx, revenueEntry(revenue), by);

/** Records a row; or says why not, where only the stored rows, sites and rates can tell. */
export function recordCost(tx: Tx, entry: Entry, by: RecordedBy) {
  const decided = decide(tx, entry, by, findCurrent(tx, entry));
  if (decided.outcome === "refused" || decided.outcome === "replayed") return decided;
  const [row] = tx.insert(ledgerEntry).values(decided.values).returning().all();
  if (row === undefined) throw new Error("a ledger row that was inserted cannot be read");
  return { outcome: decided.outcome, row: toLedgerRow(row) } as const;
}

/** A row of either, as it was sent. */
export type Entry = Pick<Row, "kind"> &
  Omit<Cost, "kind"> &
  Partial<Pick<Revenue, "status" | "low" | "high">>;

/** Says of a row, in SQL, that no other corrects it. */
const IS_CURRENT = "NOT EXISTS (SELECT 1 FROM ledger_entry AS later WHERE later.corrects = ledger_entry.id)";

const currentOf = statement<Row, (string | null)[]>(
  `SELECT * FROM ledger_entry WHERE source = ? AND period = ? AND asset IS ? AND ref IS ?
   AND kind = ? AND status IS ? AND change IS ? AND ${IS_CURRENT}`,
);

/** What tells an entry from any other. */
function identityOf(entry: Entry) {
  const { kind, source, period, asset = null, status = null, change = null, ref = null } = entry;
  return { asset, kind, source, period, status, change, ref };
}

/** The current row of an entry's identity. */
function findCurrent(db: Db, entry: Entry): LedgerRow | undefined {
  const { source, period, asset, ref, kind, status, change } = identityOf(entry);
  const found = currentOf(db).first(source, period, asset, ref, kind, status, change);
  return found === undefined ? undefined : toLedgerRow(found);
}

/** What recording an entry comes to after the row `before`; what would be stored is its `values`. */
function decide(db: Db, entry: Entry, { by, now, rates = {} }: RecordedBy, before: LedgerRow | undefined) {
  const { asset = null } = entry;
  const stated = entry.currency ?? null;
  const legacy = entry.legacy === true ? currencyOf<string>(LEGACY_CURRENCY) : null;
  const currency = stated ?? before?.currency ?? legacy;
  const errors = [...siteErrors(db, asset), ...currencyErrors(currency, before)];
  if (currency === null || errors.length > 0) return { outcome: "refused", errors } as const;
  if (before !== undefined && isReplay(entry, before)) return { outcome: "replayed", row: before } as const;
  const price = priceOf(entry, currency, rates);
  if ("pointer" in price) return { outcome: "refused", errors: [price] } as const;
  const values: Omit<Row, "id"> = {
    ...identityOf(entry),
    ...{ minutes: entry.minutes ?? null, low: entry.low ?? null, high: entry.high ?? null },
    ...price,
    currency,
    currency_basis: stated === null ? (before?.currency_basis ?? "legacy") : "stated",
    corrects: before?.id ?? null,
    recorded_at: now,
    recorded_by: by,
  };
  return { outcome: before === undefined ? "stored" : "corrected", values } as const;
}

/** The same minutes are a replay whatever the rate became; a range that is not said again says nothing new. */
function isReplay({ minutes, amount, low, high }: Entry, before: LedgerRow): boolean {
  if (typeof minutes === "number") return minutes === before.minutes;
  const isSameRange =
    typeof low !== "number" || `${[low, high]}` === `${[before.low?.toJSON(), before.high?.toJSON()]}`;
  return amount === before.amount.toJSON() && isSameRange;
}

/** The amount that was stated, or that an operator's minutes come to, half a minor unit rounded up. */
function priceOf({ amount, minutes }: Entry, currency: Currency, rates: Readonly<Record<string, number>>) {
  if (typeof minutes !== "number") return { amount: new Amount(currency, amount ?? 0).toJSON(), rate: null };
  const rate = Object.hasOwn(rates, currency) ? rates[currency] : undefined;
  if (rate === undefined) {
    return broken("currency", "operator-rate", `has no rate: set ${currency} in [ledger.operator_rates]`);
  }
  const minor = (BigInt(minutes) * BigInt(rate) + 30n) / 60n;
  if (minor <= BigInt(Number.MAX_SAFE_INTEGER)) return { amount: Number(minor), rate };
  return broken("minutes", "range", `come to more than ${Number.MAX_SAFE_INTEGER} minor units`);
}

const broken = (field: string, rule: string, message: string) => ({ pointer: `/${field}`, rule, message });

function siteErrors(db: Db, asset: string | null): readonly BrokenRule[] {
  if (asset === null || hasAsset(db, asset)) return [];
  const near = nearSites(db, asset);
  const meant = near.length === 0 ? "add it first" : `near it: ${near.join(", ")}`;
  return [broken("asset", "unknown-site", `must be a site of the portfolio (${meant})`)];
}

function currencyErrors(currency: Currency | null, before: LedgerRow | undefined): readonly BrokenRule[] {
  if (currency === null) {
    return [broken("currency", "required", 'must be present, such as "EUR"; "legacy": true means USD')];
  }
  if (before === undefined || before.currency === currency) return [];
  const original = `must be ${before.currency}, the currency of the row that this corrects`;
  return [broken("currency", "original-currency", original)];
}

const COLUMNS = ["asset", "kind", "source", "status", "currency"] as const;

/** What a list of the ledger may be narrowed to; a month lies between the days where any of its own does. */
export interface LedgerFilter
  extends Partial<Readonly<Record<(typeof COLUMNS)[number], string | undefined>>> {
  readonly from?: UtcDay | undefined;
  readonly to?: UtcDay | undefined;
  /** With rows that are superseded. */
  readonly revisions?: "all" | undefined;
}

/** Rows of the ledger: the newest period first, in it the newest row. */
export function listLedger(
  db: Db,
  { from, to, revisions, ...columns }: LedgerFilter,
  limit: number,
  after?: Pick<LedgerRow, "period" | "id">,
): LedgerRow[] {
  const { period, id } = ledgerEntry;
  const month = from?.slice(0, 7) ?? "";
  const conditions = and(
    ...COLUMNS.map((name) =>
      columns[name] === undefined ? undefined : sql`${ledgerEntry[name]} = ${columns[name]}`,
    ),
    gte(period, month),
    from && or(eq(period, month), gte(period, from)),
    to && lte(period, to),
    from && to && sql`${from} <= ${to}`,
    revisions === "all" ? undefined : sql.raw(IS_CURRENT),
    after && sql`(${period}, ${id}) < (${after.period}, ${after.id})`,
  );
  const newest = db.select().from(ledgerEntry).where(conditions).orderBy(desc(period), desc(id));
  return newest.limit(limit).all().map(toLedgerRow);
}

// The ledger by month: sums of one currency each, what is booked apart from what is estimated, and what is absent apart from 0.

const COST_PARTS = ["change", "overhead", "external_api", "operator_minutes"] as const;
type CostPart = (typeof COST_PARTS)[number];

/** A sum of estimates. */
interface Estimate {
  /** From the least to the most; null where no row told an amount that may be shown. */
  readonly known: { readonly low: Amount; readonly high: Amount } | null;
  /** An affiliate estimate without a range is in it: what it comes to is not shown as a point. */
  readonly isOpen: boolean;
}

/** A sum of rows; null where there is none, which is not 0. */
export type Figure = Amount | Estimate | null;

/** One currency, by month. */
export type CurrencyMonths = ReturnType<typeof currencyMonths>;

/** The sums of one currency in one month. */
export type MonthSums = CurrencyMonths["months"][number];

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
) {
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
    /** Rows that came without a currency and are taken as USD. */
    legacy: shown.reduce((count, { legacy }) => count + legacy, 0),
    /** What an hour of an operator was priced at. */
    rates: [...new Set(rates)].map((rate) => new Amount(currency, rate)),
    months: months.map((month) => {
      const booked = (of: string, part: Sums["part"] = "booked") => end(of, part, "low");
      return {
        /** Such as `2026-11`. */
        month,
        booked: booked(month),
        /** What is estimated and not booked yet. */
        estimated: estimateOf(month, "estimated"),
        /** What was estimated of what is booked by now. */
        reconciled: estimateOf(month, "reconciled"),
        /** What was booked in the same month a year before. */
        yearEarlier: booked(yearBefore(month)),
        costs: Object.fromEntries(COST_PARTS.map((part) => [part, booked(month, part)])) as Readonly<
          Record<CostPart, Amount | null>
        >,
      };
    }),
  };
}

const yearBefore = (month: string): string => `${Number(month.slice(0, 4)) - 1}${month.slice(4)}`;
