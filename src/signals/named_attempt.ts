/** Attempts by their names: runs and targets never change, so that what was read once of them is kept. */
import type { Db } from "../db/mod.ts";
import { runNames } from "../jobs/mod.ts";
import { type AccountProvider, FAILURE_CATEGORIES, type FailureCategory } from "../provider/contract.ts";
import { readAttempts, type Stretch } from "./attempt_list.ts";
import { type AttemptEnd, type AttemptRow, endOfAttempt } from "./attempt_row.ts";
import { type AskedTarget, PULL_OUTCOMES, type PullOutcome } from "./contract.ts";
import { targetsById } from "./target_store.ts";

/** An attempt as it is told. Times are milliseconds since the epoch. */
export interface NamedAttempt extends AttemptEnd {
  readonly id: number;
  readonly run: string;
  readonly job: string;
  /** Undefined where its row is gone, which is a fault. */
  readonly target: AskedTarget | undefined;
  readonly tookMs: number;
  readonly requests: number;
  readonly changed: number;
}

/** What attempts are narrowed to; what is undefined narrows nothing. */
export interface WantedAttempts {
  readonly asset?: string | undefined;
  readonly provider?: AccountProvider | undefined;
  readonly job?: string | undefined;
  /** A run's row. */
  readonly run?: number | undefined;
  readonly outcome?: PullOutcome | undefined;
  readonly category?: FailureCategory | undefined;
  /** When it began: from this moment on, and before that one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A stretch of the list of attempts. */
export interface NamedStretch {
  readonly attempts: readonly NamedAttempt[];
  /** The id before which the list goes on; undefined at its end. */
  readonly next: number | undefined;
}

/** The newest attempts with lesser ids than `before`. There may be fewer than asked for, and more before `next`, where it is given. */
export function namedAttempts(
  db: Db,
  wanted: WantedAttempts,
  page: { readonly limit: number; readonly before?: number | undefined },
): NamedStretch | Promise<NamedStretch> {
  const { asset, provider, job, run, outcome, category, from, to } = wanted;
  const filter = {
    targets: targetsThat(db, { asset, provider }),
    run,
    isOfJob: job === undefined ? undefined : (row: number) => runNames(db, row).job === job,
    outcome: outcome === undefined ? undefined : PULL_OUTCOMES.indexOf(outcome),
    category: category === undefined ? undefined : FAILURE_CATEGORIES.indexOf(category),
    from,
    to,
  };
  const told = ({ rows, next }: Stretch) => ({ attempts: rows.map((row) => named(db, row)), next });
  const found = readAttempts(db, filter, page);
  return found instanceof Promise ? found.then(told) : told(found);
}

function named(db: Db, row: AttemptRow): NamedAttempt {
  return {
    id: row.id,
    ...runNames(db, row.run),
    target: targetsById(db).get(row.target),
    ...endOfAttempt(row),
    tookMs: row.took_ms,
    requests: row.requests,
    changed: row.changed,
  };
}

/** The numbers of all targets of a site, of a provider, or of both; undefined where neither is asked for. */
function targetsThat(
  db: Db,
  { asset, provider }: { readonly asset: string | undefined; readonly provider: AccountProvider | undefined },
): ReadonlySet<number> | undefined {
  if (asset === undefined && provider === undefined) return undefined;
  const numbers = new Set<number>();
  for (const [number, target] of targetsById(db)) {
    if (asset !== undefined && target.asset !== asset) continue;
    if (provider !== undefined && target.provider !== provider) continue;
    numbers.add(number);
  }
  return numbers;
}
