import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import type { RuleInputs } from "./contract.ts";
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

/** The subjects a rule holds open on an asset, each with the inputs it was last judged by. */
export function listOpenSubjects(
  db: Db,
  rule: string,
  asset: string,
): { readonly subject: string; readonly inputs: RuleInputs }[] {
  return db
    .select({ subject: flag.subject, rule_inputs: flag.rule_inputs })
    .from(flag)
    .where(and(eq(flag.asset, asset), eq(flag.rule, rule), sql`${flag.status} = 'open'`))
    .all()
    .map(({ subject, rule_inputs }) => ({
      subject,
      inputs: rule_inputs === null ? {} : (JSON.parse(rule_inputs) as RuleInputs),
    }));
}
