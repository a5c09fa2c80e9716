import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { flag } from "./table.ts";

/** Whether a milestone of a metric was raised before: a total that was corrected down passes nothing twice. */
export function hasMilestone(db: Db, asset: string, metric: string, milestone: number): boolean {
  const row = db
    .select({ id: flag.id })
    .from(flag)
    .where(
      and(
        eq(flag.asset, asset),
        eq(flag.rule, "milestone-total"),
        eq(flag.subject, metric),
        sql`json_extract(${flag.rule_inputs}, '$.milestone') = ${milestone}`,
      ),
    )
    .limit(1)
    .get();
  return row !== undefined;
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
