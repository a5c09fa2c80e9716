/**
 * The ledger: revenue and costs of sites, in minor units of one currency each (`amount.ts`).
 *
 * A row is posted (`api.ts`) or a CSV file is imported (`csv.ts`) → `decide` here compares it with the current row of its identity
 * → stored, a replay (the same again), or a correction, which supersedes the row before it and keeps the currency of the original.
 * The page of months is summed by `months.ts`: booked and estimated amounts are kept apart, and so are absent ones and 0.
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
import { Amount, type Cost, type Currency, currencyOf, LEGACY_CURRENCY, type Revenue } from "./amount.ts";

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
interface LedgerFilter extends Partial<Readonly<Record<(typeof COLUMNS)[number], string | undefined>>> {
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
    revisions === "all" ? undefined : sql.raw(IS_CURRENT),
    after && sql`(${period}, ${id}) < (${after.period}, ${after.id})`,
  );
  const newest = db.select().from(ledgerEntry).where(conditions).orderBy(desc(period), desc(id));
  return newest.limit(limit).all().map(toLedgerRow);
}
