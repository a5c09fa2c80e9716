/** What pages of the archive show of very many attempts, without reading them: counts, sums, and the dates of one site. */

import type { Provider } from "../providers/adapter.ts";
import type { FailureCategory } from "../providers/faults.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { archiveTotal } from "./archive_tables.ts";
import { type ArchiveOutcome, categoryAt, outcomeAt } from "./manifest_row.ts";

/** How many sites' reports of a date came to this, each by its latest attempt over all of its connections. */
export interface ArchiveTally {
  readonly provider: Provider;
  readonly family: string;
  /** Day number. */
  readonly date: number;
  readonly outcome: ArchiveOutcome;
  readonly category: FailureCategory | null;
  readonly sites: number;
}

type Counted<Row> = Omit<Row, "outcome" | "category"> & {
  readonly outcome: number;
  readonly category: number;
};

const named = <Row>({ outcome, category, ...row }: Counted<Row>) => ({
  ...row,
  outcome: outcomeAt(outcome),
  category: categoryAt(category < 0 ? null : category),
});

const tallied = statement<Counted<ArchiveTally>, [number, number]>(
  "SELECT date, provider, family, outcome, category, sites FROM archive_tally WHERE date BETWEEN ? AND ? AND sites > 0",
);

/** The counts of dates, both included. */
export function listTally(db: Db, from: number, to: number): ArchiveTally[] {
  return tallied(db).all(from, to).map(named);
}

const ofSite = statement<Counted<ArchiveTally>, [string, number, number]>(
  `SELECT t.provider, t.family, d.date, r.outcome, coalesce(r.category, -1) AS category, 1 AS sites
   FROM archive_target t JOIN archive_day d ON d.target = t.id JOIN archive_report r ON r.id = d.latest
   WHERE t.asset = ? AND d.date BETWEEN ? AND ? ORDER BY d.latest`,
);

/** The same of one site: one for each family and date that was tried. */
export function listTallyOf(db: Db, asset: string, from: number, to: number): ArchiveTally[] {
  // Over two connections there may be two of one date: the later attempt stands.
  const latest = new Map(
    ofSite(db)
      .all(asset, from, to)
      .map((row) => [`${row.provider} ${row.family} ${row.date}`, row]),
  );
  return [...latest.values()].map(named);
}

const earlier = statement<{ found: number }, [string, number]>(
  "SELECT 1 AS found FROM archive_tally WHERE provider = ? AND date < ? AND sites > 0 ORDER BY date DESC LIMIT 1",
);
const earlierOfSite = statement<{ found: number }, [string, string, number]>(
  `SELECT 1 AS found FROM archive_target t JOIN archive_day d ON d.target = t.id
   WHERE t.asset = ? AND t.provider = ? AND d.date < ? LIMIT 1`,
);

/** Whether a provider's reports of dates before a day were asked for, of all sites or of one. */
export function isTriedBefore(db: Db, provider: Provider, asset: string | null, day: number): boolean {
  const found =
    asset === null ? earlier(db).first(provider, day) : earlierOfSite(db).first(asset, provider, day);
  return found !== undefined;
}

type TotalRow = Readonly<typeof archiveTotal.$inferSelect>;

/** What the archive holds of a provider. */
export type ArchiveTotal = Pick<TotalRow, "provider" | "attempts" | "objects" | "bytes" | "repeated"> &
  Readonly<Record<"storedBytes" | "sparedBytes" | "sparedStoredBytes", number>>;

const totals = statement<ArchiveTotal, []>(
  `SELECT provider, attempts, objects, bytes, stored_bytes AS storedBytes, repeated, spared_bytes AS sparedBytes,
     spared_stored_bytes AS sparedStoredBytes FROM archive_total`,
);

/** What the archive holds, by provider. */
export function listTotals(db: Db): ArchiveTotal[] {
  return totals(db).all();
}

/** What attempts add to it. An object is new with the first attempt that brought it, however often it was stored anew since. */
const ADDED = `SELECT provider, count(*) AS attempts,
    coalesce(sum(is_new), 0) AS objects, sum(iif(is_new, bytes, 0)) AS bytes, sum(iif(is_new, stored_bytes, 0)) AS stored_bytes,
    coalesce(sum(NOT is_new), 0) AS repeated, sum(iif(NOT is_new, bytes, 0)) AS spared_bytes,
    sum(iif(NOT is_new, stored_bytes, 0)) AS spared_stored_bytes
  FROM (SELECT t.provider, o.bytes, o.stored_bytes,
      r.id = (SELECT min(e.id) FROM archive_report e WHERE e.object = o.id)
        AND o.id = (SELECT min(e.id) FROM archive_object e WHERE e.sha256 = o.sha256) AS is_new
    FROM archive_report r JOIN archive_target t ON t.id = r.target LEFT JOIN archive_object o ON o.id = r.object`;
const add = statement<never, [number]>(
  `INSERT INTO archive_total ${ADDED} WHERE r.id = ?) GROUP BY provider
   ON CONFLICT (provider) DO UPDATE SET attempts = attempts + excluded.attempts, objects = objects + excluded.objects,
     bytes = bytes + excluded.bytes, stored_bytes = stored_bytes + excluded.stored_bytes, repeated = repeated + excluded.repeated,
     spared_bytes = spared_bytes + excluded.spared_bytes, spared_stored_bytes = spared_stored_bytes + excluded.spared_stored_bytes`,
);
const sum = statement<TotalRow, [string]>(`${ADDED} WHERE t.provider = ?) GROUP BY provider`);

/** Adds an attempt that was just recorded. */
export const addToTotal = (tx: Tx, report: number): void => add(tx).run(report);

/** What the attempts of a provider come to. */
export const totalOf = (db: Db, provider: string): TotalRow[] => sum(db).all(provider);
