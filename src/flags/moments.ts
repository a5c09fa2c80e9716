/** When lasting things began and ended: counts by day, and the flags of a few days. A thing that is told anew every night stands once. */

import { inArray } from "drizzle-orm";
import { formatInstant, parseUtcDay, type UtcDay } from "../base/time.ts";
import { type Db, statement } from "../store/store.ts";
import {
  type ChainedFlag,
  type FlagKind,
  type FlagRow,
  flag,
  type RuleInputs,
  type SeriesSource,
  type Severity,
} from "./flags.ts";

/** A stored flag as the service answers it. */

export function toFlagRow(row: typeof flag.$inferSelect): FlagRow {
  return {
    id: row.id,
    asset: row.asset,
    rule: row.rule,
    subject: row.subject,
    origin: row.origin,
    severity: row.severity,
    kind: row.kind,
    metric: row.metric,
    message: row.message,
    status: row.status,
    rule_inputs: row.rule_inputs === null ? null : (JSON.parse(row.rule_inputs) as RuleInputs),
    raised_at: formatInstant(row.raised_at),
    resolved_at: instantOrNull(row.resolved_at),
    resolution: row.resolution,
    acked_at: instantOrNull(row.acked_at),
    acked_by: row.acked_by,
    snoozed_until: instantOrNull(row.snoozed_until),
    tuned_at: instantOrNull(row.tuned_at),
    incident: row.incident,
    hypothesis: row.hypothesis,
    source: row.source === "" ? null : row.source,
    renews: row.renews,
  };
}

/** A stored flag with its place in its chain. */
export function toChainedFlag(row: typeof flag.$inferSelect): ChainedFlag {
  return {
    ...toFlagRow(row),
    chain: {
      first: row.chain,
      since: formatInstant(row.since),
      reports: row.reports,
      renewed_by: row.renewed_by,
    },
  };
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms);
}

/** What happened to the thing that a flag tells. */
export type FlagTurn = "raised" | "resolved";

/** Which of them; `from` and `to` are instants, `to` excluded. */
interface FlagMoments {
  readonly turn: FlagTurn;
  readonly asset?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly from: number;
  readonly to: number;
}

/** How many of a severity on one UTC day. */
interface FlagTally {
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

/** What became of flags since a moment, each lasting thing once: what a person is told who was away. */

/** A lasting thing that began or ended, as the flag that told it last. Times are milliseconds since the epoch. */
export interface FlagNews {
  readonly id: string;
  readonly asset: string;
  readonly rule: string | null;
  readonly subject: string;
  readonly severity: Severity;
  readonly kind: FlagKind;
  /** When the thing began. */
  readonly begunAt: number;
  /** When it ended; null while it lasts, and for what never lasted, such as a milestone. */
  readonly endedAt: number | null;
  readonly resolution: string | null;
  /** The days that were judged when it began; null where its rule judges none. */
  readonly rule_inputs: { readonly from: UtcDay; readonly to: UtcDay } | null;
  readonly source: SeriesSource | null;
}

interface NewsRow extends Omit<FlagNews, "rule_inputs"> {
  readonly observedFrom: string | null;
  readonly observedTo: string | null;
}

const COLUMNS = `l.id, l.asset, l.rule, nullif(l.source, '') AS source, l.subject, l.severity, l.kind, l.since AS begunAt,
  CASE WHEN l.status = 'resolved' AND l.resolved_at > l.raised_at THEN l.resolved_at END AS endedAt, l.resolution,
  f.rule_inputs ->> '$.observed.from' AS observedFrom, f.rule_inputs ->> '$.observed.to' AS observedTo`;

// The conditions are spelt as the partial indexes spell them. Of a thing that was told anew the last row says how it stands.
const begun = statement<NewsRow, [number, number, number]>(`
  SELECT ${COLUMNS} FROM flag AS f
  JOIN flag AS l ON l.id = CASE WHEN f.renewed_by IS NULL THEN f.id ELSE (
    SELECT id FROM flag WHERE chain = f.id AND renews IS NOT NULL ORDER BY reports DESC LIMIT 1) END
  WHERE f.renews IS NULL AND f.resolution IS NOT 'older_report' AND f.raised_at > ? AND f.raised_at <= ?
  ORDER BY f.raised_at DESC LIMIT ?`);
const ended = statement<NewsRow, [number, number, number, number]>(`
  SELECT ${COLUMNS} FROM flag AS l JOIN flag AS f ON f.id = l.id
  WHERE l.status = 'resolved' AND l.renewed_by IS NULL AND l.resolved_at > l.raised_at
    AND l.resolved_at > ? AND l.resolved_at <= ? AND l.since <= ?
  ORDER BY l.resolved_at DESC LIMIT ?`);

/** The things that began or ended after one instant and up to another; of those that began and of those that ended `limit` each, the newest. */
export function listFlagNews(db: Db, from: number, to: number, limit: number): FlagNews[] {
  return [...begun(db).all(from, to, limit), ...ended(db).all(from, to, from, limit)].map(
    ({ observedFrom, observedTo, ...row }) => {
      const [first, last] = [observedFrom, observedTo].map((day) =>
        day === null ? undefined : parseUtcDay(day),
      );
      return {
        ...row,
        rule_inputs: first === undefined || last === undefined ? null : { from: first, to: last },
      };
    },
  );
}

/** These flags with their chains, in no order. */
export function listFlagsById(db: Db, ids: readonly string[]): ChainedFlag[] {
  if (ids.length === 0) return [];
  return db.select().from(flag).where(inArray(flag.id, ids)).all().map(toChainedFlag);
}
