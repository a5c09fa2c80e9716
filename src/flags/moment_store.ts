/** When lasting things began and ended: counts by day, and the flags of a few days. A thing that is told anew every night stands once. */
import { type Db, statement } from "../db/mod.ts";
import type { ChainedFlag, Severity } from "./contract.ts";
import { toChainedFlag } from "./row.ts";
import type { flag } from "./table.ts";

/** What happened to the thing that a flag tells. */
export type FlagTurn = "raised" | "resolved";

/** Which of them; `from` and `to` are instants, `to` excluded. */
export interface FlagMoments {
  readonly turn: FlagTurn;
  readonly asset?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly from: number;
  readonly to: number;
}

/** How many of a severity on one UTC day. */
export interface FlagTally {
  /** Whole days since 1970-01-01. */
  readonly day: number;
  readonly severity: Severity;
  readonly count: number;
}

const DAY = 86_400_000;
const SPELT = {
  raised: { at: "raised_at", is: "renews IS NULL AND resolution IS NOT 'older_report'" },
  resolved: {
    at: "resolved_at",
    is: "status = 'resolved' AND renewed_by IS NULL AND resolved_at > raised_at",
  },
} as const;

// Spelt as the partial indexes spell them, which hold all that is asked.
const tallyOf = (turn: FlagTurn, ofAsset: string) => {
  const { at, is } = SPELT[turn];
  return `SELECT ${at} / ${DAY} AS day, severity, count(*) AS count FROM flag
    WHERE ${ofAsset} ${is} AND ${at} >= ? AND ${at} < ? GROUP BY 1, 2`;
};
const tallies = {
  raised: statement<FlagTally, [number, number]>(tallyOf("raised", "")),
  resolved: statement<FlagTally, [number, number]>(tallyOf("resolved", "")),
};
const talliesOfAsset = {
  raised: statement<FlagTally, [string, number, number]>(tallyOf("raised", "asset = ? AND")),
  resolved: statement<FlagTally, [string, number, number]>(tallyOf("resolved", "asset = ? AND")),
};

/** How many began, or ended, on each day that has any. */
export function tallyFlagMoments(db: Db, of: Omit<FlagMoments, "severity">): FlagTally[] {
  const { turn, asset, from, to } = of;
  return asset === undefined
    ? tallies[turn](db).all(from, to)
    : talliesOfAsset[turn](db).all(asset, from, to);
}

const WORST = "CASE severity WHEN 'error' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END";

const listOf = (turn: FlagTurn, ofAsset: string) => {
  const { at, is } = SPELT[turn];
  return `SELECT * FROM flag WHERE ${ofAsset} ${is} AND ${at} >= ? AND ${at} < ? AND ? IN ('', severity)
    ORDER BY ${WORST} DESC, ${at} DESC, id DESC LIMIT ?`;
};
type FlagTableRow = typeof flag.$inferSelect;
const lists = {
  raised: statement<FlagTableRow, [number, number, string, number]>(listOf("raised", "")),
  resolved: statement<FlagTableRow, [number, number, string, number]>(listOf("resolved", "")),
};
const listsOfAsset = {
  raised: statement<FlagTableRow, [string, number, number, string, number]>(
    listOf("raised", "asset = ? AND"),
  ),
  resolved: statement<FlagTableRow, [string, number, number, string, number]>(
    listOf("resolved", "asset = ? AND"),
  ),
};

/** The flags that began, or ended, between two moments: the worst first, then the newest; at most `limit`. */
export function listFlagMoments(db: Db, of: FlagMoments, limit: number): ChainedFlag[] {
  const { turn, asset, severity = "", from, to } = of;
  const rows =
    asset === undefined
      ? lists[turn](db).all(from, to, severity, limit)
      : listsOfAsset[turn](db).all(asset, from, to, severity, limit);
  return rows.map(toChainedFlag);
}

const firstBegun = statement<{ at: number | null }, []>(
  `SELECT min(raised_at) AS at FROM flag WHERE ${SPELT.raised.is}`,
);
const firstBegunOfAsset = statement<{ at: number | null }, [string]>(
  `SELECT min(raised_at) AS at FROM flag WHERE asset = ? AND ${SPELT.raised.is}`,
);

/** When the first of them began, in milliseconds since the epoch. */
export function findFirstBegun(db: Db, asset: string | undefined): number | undefined {
  const row = asset === undefined ? firstBegun(db).first() : firstBegunOfAsset(db).first(asset);
  return row?.at ?? undefined;
}
