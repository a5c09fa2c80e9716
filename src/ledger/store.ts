import { and, desc, eq, gte, lte, or, type SQL, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { Amount, type Currency, currencyOf } from "./amount.ts";
import { ledgerEntry } from "./table.ts";

export type Row = typeof ledgerEntry.$inferSelect;

/** A stored row. */
export interface LedgerRow extends Omit<Row, "amount" | "low" | "high" | "currency"> {
  readonly currency: Currency;
  readonly amount: Amount;
  /** The range of an estimate. */
  readonly low: Amount | null;
  readonly high: Amount | null;
}

function toLedgerRow(row: Row): LedgerRow {
  const currency = currencyOf<string>(row.currency);
  const amountOf = (minor: number | null) => (minor === null ? null : new Amount(currency, minor));
  return {
    ...row,
    currency,
    amount: new Amount(currency, row.amount),
    low: amountOf(row.low),
    high: amountOf(row.high),
  };
}

/** Says of a row, in SQL, that no other corrects it. */
const IS_CURRENT = sql`NOT EXISTS (SELECT 1 FROM ledger_entry AS later WHERE later.corrects = ledger_entry.id)`;

const IDENTITY = ["asset", "kind", "source", "period", "status", "change", "ref"] as const;

const currentOf = prepared((db) =>
  db
    .select()
    .from(ledgerEntry)
    .where(
      sql.join(
        [...IDENTITY.map((name) => sql`${ledgerEntry[name]} IS ${sql.placeholder(name)}`), IS_CURRENT],
        sql` AND `,
      ),
    )
    .prepare(),
);

/** The current row of an identity. */
export function findCurrent(db: Db, identity: Pick<Row, (typeof IDENTITY)[number]>): LedgerRow | undefined {
  const row = currentOf(db).get(identity);
  return row === undefined ? undefined : toLedgerRow(row);
}

export function insertEntry(tx: Tx, entry: Omit<Row, "id">): LedgerRow {
  const [stored] = tx.insert(ledgerEntry).values(entry).returning().all();
  if (stored === undefined) throw new Error("a ledger row that was inserted cannot be read");
  return toLedgerRow(stored);
}

type Columns = "asset" | "kind" | "source" | "status" | "currency";

/** What a list of the ledger may be narrowed to; a month lies between the days where any of its own does. */
export interface LedgerFilter extends Partial<Readonly<Record<Columns, string | undefined>>> {
  readonly from?: UtcDay | undefined;
  readonly to?: UtcDay | undefined;
  /** With rows that are corrected. */
  readonly superseded?: boolean;
}

/** Rows of the ledger: the newest period first, in it the newest row. */
export function listLedger(
  db: Db,
  filter: LedgerFilter,
  limit: number,
  after?: Pick<LedgerRow, "period" | "id">,
): LedgerRow[] {
  return db
    .select()
    .from(ledgerEntry)
    .where(
      and(
        ...whereOf(filter),
        after && sql`(${ledgerEntry.period}, ${ledgerEntry.id}) < (${after.period}, ${after.id})`,
      ),
    )
    .orderBy(desc(ledgerEntry.period), desc(ledgerEntry.id))
    .limit(limit)
    .all()
    .map(toLedgerRow);
}

function whereOf({ from, to, superseded, ...columns }: LedgerFilter): (SQL | undefined)[] {
  const { period } = ledgerEntry;
  const month = from?.slice(0, 7);
  return [
    ...(["asset", "kind", "source", "status", "currency"] as const).map((name) => {
      const value = columns[name];
      return value === undefined ? undefined : sql`${ledgerEntry[name]} = ${value}`;
    }),
    from && month ? and(gte(period, month), or(eq(period, month), gte(period, from))) : undefined,
    to && lte(period, to),
    superseded === true ? undefined : IS_CURRENT,
  ];
}
