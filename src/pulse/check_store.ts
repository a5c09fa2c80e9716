import { sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { pulse } from "./table.ts";

/** Revisions with gaps, and nightly reports filed under another day than their own. */
export function pulseRevisionFaults(db: Db): string[] {
  const gaps = db
    .select({
      asset: pulse.asset,
      date: pulse.date,
      reports: sql<number>`count(*)`,
      last: sql<number>`max(${pulse.revision})`,
    })
    .from(pulse)
    .groupBy(pulse.asset, pulse.date)
    .having(sql`count(*) <> max(${pulse.revision}) OR min(${pulse.revision}) <> 1`)
    .all()
    .map((row) => `${row.asset} on ${row.date}: ${row.reports} nightly reports, but revision ${row.last}`);
  const misplaced = db
    .select({ asset: pulse.asset, date: pulse.date, revision: pulse.revision })
    .from(pulse)
    .where(sql`${pulse.date} <> date(${pulse.generated_at} / 1000.0, 'unixepoch')`)
    .all()
    .map((row) => `${row.asset} on ${row.date}, revision ${row.revision}: generated on another day`);
  return [...gaps, ...misplaced];
}
