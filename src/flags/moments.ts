/** When lasting things began and ended: counts by day, and the flags of a few days. A thing that every report renews is one. */

import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { parseUtcDay, type UtcDay } from "../base/time.ts";
import { type Db, statement } from "../store/store.ts";
import {
  BEGUN,
  CHAINED_FLAG,
  type ChainedFlag,
  ENDED,
  type FlagRow,
  flag,
  type Severity,
  URGENCY,
} from "./flags.ts";

/** What happened to the thing that a flag is about. */
export type FlagTurn = "raised" | "resolved";

/** Which of them; `from` and `to` are instants, `to` excluded. */
interface FlagMoments {
  readonly turn: FlagTurn;
  readonly asset?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly from: number;
  readonly to: number;
}

const DAY = 86_400_000;
// Without the table's name, as the partial indexes spell it, which hold all that is asked.
const TURNS = {
  raised: { at: sql<number>`raised_at`, is: BEGUN },
  resolved: { at: sql<number>`resolved_at`, is: ENDED },
} as const;

function within({ turn, asset, from, to }: FlagMoments): SQL | undefined {
  const { at, is } = TURNS[turn];
  return and(
    asset === undefined ? undefined : eq(flag.asset, asset),
    is,
    sql`${at} >= ${from} AND ${at} < ${to}`,
  );
}

/** How many began, or ended, on each day that has any: whole days since 1970-01-01. */
export function tallyFlagMoments(db: Db, of: Omit<FlagMoments, "severity">) {
  const day = sql<number>`${TURNS[of.turn].at} / ${sql.raw(`${DAY}`)}`;
  return db
    .select({ day, severity: flag.severity, count: sql<number>`count(*)` })
    .from(flag)
    .where(within(of))
    .groupBy(sql`1`, sql`2`)
    .all();
}

/** The flags that began, or ended, between two moments: the worst first, then the newest; at most `limit`. */
export function listFlagMoments(db: Db, of: FlagMoments, limit: number): ChainedFlag[] {
  return db
    .select(CHAINED_FLAG)
    .from(flag)
    .where(and(within(of), of.severity === undefined ? undefined : eq(flag.severity, of.severity)))
    .orderBy(desc(URGENCY), desc(TURNS[of.turn].at), desc(flag.id))
    .limit(limit)
    .all();
}

/** When the first of them began, in milliseconds since the epoch. */
export function findFirstBegun(db: Db, asset: string | undefined): number | undefined {
  const { at, is } = TURNS.raised;
  const ofAsset = asset === undefined ? undefined : eq(flag.asset, asset);
  const row = db
    .select({ at: sql<number | null>`min(${at})` })
    .from(flag)
    .where(and(ofAsset, is))
    .get();
  return row?.at ?? undefined;
}

/** A lasting thing that began or ended, as its last flag says it. Times are milliseconds since the epoch. */
export interface FlagNews
  extends Pick<FlagRow, "id" | "asset" | "rule" | "subject" | "severity" | "kind" | "source"> {
  /** When the thing began. */
  readonly begunAt: number;
  /** When it ended; null while it lasts, and for what never lasted, such as a milestone. */
  readonly endedAt: number | null;
  readonly resolution: string | null;
  /** The days that were judged when it began; null where its rule judges none. */
  readonly rule_inputs: { readonly from: UtcDay; readonly to: UtcDay } | null;
}

interface NewsRow extends Omit<FlagNews, "rule_inputs"> {
  readonly observedFrom: string | null;
  readonly observedTo: string | null;
}

const COLUMNS = `l.id, l.asset, l.rule, nullif(l.source, '') AS source, l.subject, l.severity, l.kind, l.since AS begunAt,
  CASE WHEN l.status = 'resolved' AND l.resolved_at > l.raised_at THEN l.resolved_at END AS endedAt, l.resolution,
  f.rule_inputs ->> '$.observed.from' AS observedFrom, f.rule_inputs ->> '$.observed.to' AS observedTo`;

// The conditions are spelt as the partial indexes spell them. Of a thing that was renewed the last row says how it is now.
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
