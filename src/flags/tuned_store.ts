/** How often operators answered a rule's flags by tuning it. */
import { and, count, gte, inArray } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { flag } from "./table.ts";

/** Flags of the given rules raised since an instant (milliseconds since the epoch), and those of them that were tuned. */
export function countTuned(
  db: Db,
  rules: readonly string[],
  since: number,
): { readonly raised: number; readonly tuned: number } {
  const row = db
    .select({ raised: count(), tuned: count(flag.tuned_at) })
    .from(flag)
    .where(and(gte(flag.raised_at, since), inArray(flag.rule, [...rules])))
    .get();
  return row ?? { raised: 0, tuned: 0 };
}
