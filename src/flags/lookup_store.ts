import { and, eq } from "drizzle-orm";
import { type Db, statement } from "../db/mod.ts";
import type { SeriesSource } from "./contract.ts";
import { flag } from "./table.ts";

// Spelt as the index spells it, whose last entry for the series is the answer.
const highestMilestone = statement<{ milestone: number | null }, [string, string, string]>(
  `SELECT rule_inputs ->> '$.milestone' AS milestone FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND rule = 'milestone-total'
   ORDER BY rule_inputs ->> '$.milestone' DESC LIMIT 1`,
);

/** The highest milestone of a series that was ever raised: a total that was corrected down passes nothing twice. */
export function latestMilestone(
  db: Db,
  asset: string,
  source: SeriesSource,
  metric: string,
): number | undefined {
  return highestMilestone(db).first(asset, source, metric)?.milestone ?? undefined;
}

/** The subjects a rule holds open on an asset, each with what it says. */
export function listOpenSubjects(
  db: Db,
  rule: string,
  asset: string,
): { readonly subject: string; readonly message: string }[] {
  return db
    .select({ subject: flag.subject, message: flag.message })
    .from(flag)
    .where(and(eq(flag.asset, asset), eq(flag.rule, rule), eq(flag.status, "open")))
    .all();
}
