/** What became of flags since a moment, each lasting thing once: what a person is told who was away. */
import { inArray } from "drizzle-orm";
import { type Db, statement } from "../db/mod.ts";
import { parseUtcDay, type UtcDay } from "../lib/utc_day.ts";
import type { ChainedFlag, FlagKind, SeriesSource, Severity } from "./contract.ts";
import { toChainedFlag } from "./row.ts";
import { flag } from "./table.ts";

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
