import { and, eq } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { flag } from "./table.ts";

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
