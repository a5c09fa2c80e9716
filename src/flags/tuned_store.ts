/** How often operators answered a rule's flags by tuning it. */

import { and, gte, inArray, sql } from "drizzle-orm";
import type { Db } from "../store/db_open.ts";
import { flag } from "./input_change.ts";

/**
 * What the given rules raised since an instant (milliseconds since the epoch), each lasting thing once, and how much of it was
 * answered by tuning.
 */
export function countTuned(
  db: Db,
  rules: readonly string[],
  since: number,
): { readonly raised: number; readonly tuned: number } {
  const row = db
    .select({
      raised: sql<number>`count(DISTINCT ${flag.chain})`,
      tuned: sql<number>`count(DISTINCT CASE WHEN ${flag.tuned_at} IS NOT NULL THEN ${flag.chain} END)`,
    })
    .from(flag)
    .where(and(gte(flag.raised_at, since), inArray(flag.rule, [...rules])))
    .get();
  return row ?? { raised: 0, tuned: 0 };
}
