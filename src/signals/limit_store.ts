/** The limits of providers that were met: attempts that a quota or a budget ended. */
import { type Db, statement } from "../db/mod.ts";
import { type AccountProvider, FAILURE_CATEGORIES, LIMITS, type Limit } from "../provider/contract.ts";

/** A provider's limit of a kind. Times are milliseconds since the epoch. */
export interface MetLimit {
  readonly provider: AccountProvider;
  readonly category: Limit;
  /** When the first and the last attempt began that it ended. */
  readonly first: number;
  readonly last: number;
  /** Before this moment nothing is asked again that it holds. */
  readonly until: number;
  readonly attempts: number;
}

// An attempt that met a limit names the moment of its next try, which lies behind its beginning: few attempts have one.
const metSince = statement<
  {
    provider: AccountProvider;
    category: number;
    first: number;
    last: number;
    until: number;
    attempts: number;
  },
  [number, number, number]
>(
  `SELECT t.provider, a.category, min(a.started_at) AS first, max(a.started_at) AS last, max(a.next_retry_at) AS until,
     count(*) AS attempts
   FROM pull_attempt a JOIN pull_target t ON t.id = a.target
   WHERE a.next_retry_at >= ? AND a.started_at >= ? AND a.started_at <= ?
     AND a.category IN (${LIMITS.map((limit) => FAILURE_CATEGORIES.indexOf(limit)).join(", ")})
   GROUP BY t.provider, a.category ORDER BY t.provider, a.category`,
);

/** The limits that attempts met from a moment to another, by provider. Of attempts that are packed, a day later, nothing is told. */
export function listMetLimits(db: Db, from: number, to: number): MetLimit[] {
  return metSince(db)
    .all(from, from, to)
    .flatMap(({ category: place, ...row }) => {
      const category = LIMITS.find((limit) => FAILURE_CATEGORIES.indexOf(limit) === place);
      return category === undefined ? [] : [{ ...row, category }];
    });
}
