import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/**
 * Revenue and costs. Append-only: another amount for one identity (asset, kind, source, period, status, change, ref) is a new row that
 * names the one it corrects, so that the current row is the one which none corrects. Its currency is the original's.
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
