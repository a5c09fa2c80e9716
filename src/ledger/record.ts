/**
 * Recording revenue and costs, once for each identity and amount: sent again they are a replay, another amount is a correction that
 * supersedes the row before it. A correction keeps the currency of the original.
 */
import { hasAsset, nearSites } from "../assets/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import type { BrokenRule } from "../lib/contract.ts";
import { formatInstant } from "../lib/instant.ts";
import { Amount, type Currency, currencyOf } from "./amount.ts";
import { type Cost, LEGACY_CURRENCY, type Revenue } from "./contract.ts";
import { findCurrent, insertEntry, type LedgerRow, type Row } from "./store.ts";

/** A row as the API answers it: a range only where there is one. */
export function answerOf(row: LedgerRow): Record<string, unknown> {
  const { id, low, high, corrects, recorded_at, ...rest } = row;
  return {
    id: String(id),
    ...rest,
    ...(low === null ? {} : { low, high }),
    corrects: corrects === null ? null : String(corrects),
    recorded_at: formatInstant(recorded_at),
  };
}

/** Who records, when, and what an operator's hour costs in each currency, in minor units. */
export interface RecordedBy {
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly rates?: Readonly<Record<string, number>>;
}

export interface Recorded {
  readonly row: LedgerRow;
  readonly outcome: "stored" | "replayed" | "corrected";
}

/** Why nothing was recorded, where only the stored rows and sites can tell. */
export interface RefusedEntry {
  readonly outcome: "refused";
  readonly errors: readonly BrokenRule[];
}

export function recordRevenue(tx: Tx, revenue: Revenue, by: RecordedBy): Recorded | RefusedEntry {
  const { low = null, high = null, amount } = revenue;
  return record(tx, { ...revenue, kind: "revenue", change: null, minutes: null, low, high, amount }, by);
}

export function recordCost(tx: Tx, cost: Cost, by: RecordedBy): Recorded | RefusedEntry {
  const { asset = null, change = null, amount = null, minutes = null } = cost;
  return record(tx, { ...cost, asset, status: null, change, amount, minutes, low: null, high: null }, by);
}

/** What both kinds of rows say. */
interface Entry
  extends Pick<
    Row,
    "asset" | "kind" | "source" | "period" | "status" | "change" | "minutes" | "low" | "high"
  > {
  readonly amount: number | null;
  readonly currency?: Currency | null;
  readonly ref?: string | null;
  readonly legacy?: boolean | null;
}

function record(tx: Tx, entry: Entry, { by, now, rates = {} }: RecordedBy): Recorded | RefusedEntry {
  const { kind, source, period, status, change, asset, minutes, low, high } = entry;
  const identity = { asset, kind, source, period, status, change, ref: entry.ref ?? null };
  const before = findCurrent(tx, identity);
  const legacy = entry.legacy === true ? currencyOf<string>(LEGACY_CURRENCY) : undefined;
  const currency = entry.currency ?? before?.currency ?? legacy;
  const errors = [...assetErrors(tx, asset), ...currencyErrors(currency, before)];
  if (currency === undefined || errors.length > 0) return { outcome: "refused", errors };
  if (before !== undefined && isReplay(entry, before)) return { row: before, outcome: "replayed" };
  const priced = price(entry, currency, rates);
  if ("outcome" in priced) return priced;
  const basis = before?.currency_basis ?? "legacy";
  const row = insertEntry(tx, {
    ...identity,
    minutes,
    low,
    high,
    rate: priced.rate,
    amount: priced.amount.toJSON(),
    currency,
    currency_basis: (entry.currency ?? null) === null ? basis : "stated",
    corrects: before?.id ?? null,
    recorded_at: now,
    recorded_by: by,
  });
  return { row, outcome: before === undefined ? "stored" : "corrected" };
}

/** The same minutes are a replay whatever the rate became; a range that is not said again says nothing new. */
function isReplay({ minutes, amount, low, high }: Entry, before: LedgerRow): boolean {
  if (minutes !== null) return minutes === before.minutes;
  const isSameRange = low === null || (low === before.low?.toJSON() && high === before.high?.toJSON());
  return (amount ?? 0) === before.amount.toJSON() && isSameRange;
}

/** The amount that was stated, or that an operator's minutes come to, half a minor unit rounded up. */
function price(
  { amount, minutes }: Entry,
  currency: Currency,
  rates: Readonly<Record<string, number>>,
): { readonly amount: Amount; readonly rate: number | null } | RefusedEntry {
  if (minutes === null) return { amount: new Amount(currency, amount ?? 0), rate: null };
  const rate = Object.hasOwn(rates, currency) ? rates[currency] : undefined;
  if (rate === undefined) {
    return refused(
      "currency",
      "operator-rate",
      `needs a rate for ${currency} in [ledger.operator_rates] of the constants`,
    );
  }
  const minor = (BigInt(minutes) * BigInt(rate) + 30n) / 60n;
  if (minor > BigInt(Number.MAX_SAFE_INTEGER)) {
    return refused("minutes", "minor-units", `come to more than ${Number.MAX_SAFE_INTEGER} minor units`);
  }
  return { amount: new Amount(currency, minor), rate };
}

function assetErrors(db: Db, asset: string | null): readonly BrokenRule[] {
  if (asset === null || hasAsset(db, asset)) return [];
  const near = nearSites(db, asset);
  const meant = near.length === 0 ? "add it first" : `near it: ${near.join(", ")}`;
  return refused("asset", "unknown-site", `must be a site of the portfolio (${meant})`).errors;
}

function currencyErrors(
  currency: Currency | undefined,
  before: LedgerRow | undefined,
): readonly BrokenRule[] {
  if (currency === undefined) {
    const how = 'such as "EUR"; only an upload with "legacy": true may leave it out, for USD';
    return refused("currency", "required", `must be present, ${how}`).errors;
  }
  if (before === undefined || before.currency === currency) return [];
  const original = `must be ${before.currency}, the currency of row ${before.id}, which this corrects`;
  return refused("currency", "original-currency", original).errors;
}

function refused(field: string, rule: string, message: string): RefusedEntry {
  return { outcome: "refused", errors: [{ pointer: `/${field}`, rule, message }] };
}
