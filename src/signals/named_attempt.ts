/** What an attempt's numbers stand for: runs and targets never change, so that what was read once is kept. */
import { type Db, prepared } from "../db/mod.ts";
import { findRun } from "../jobs/mod.ts";
import type { Provider } from "../provider/contract.ts";
import { targetsById } from "./target_store.ts";

/** A run as it is named to the outside. */
interface RunNames {
  readonly run: string;
  readonly job: string;
}

/** Runs whose names are kept: those of some weeks. */
const KEPT_RUNS = 8_192;
const keptRuns = prepared(() => new Map<number, RunNames>());

/** The id and the job of the run of a row; both '' where it is not there, which is a fault that check tells. */
export function runNames(db: Db, row: number): RunNames {
  const kept = keptRuns(db);
  const known = kept.get(row);
  if (known !== undefined) return known;
  const found = findRun(db, row);
  const names = { run: found?.run ?? "", job: found?.job ?? "" };
  if (found === undefined) return names;
  if (kept.size >= KEPT_RUNS) kept.clear();
  kept.set(row, names);
  return names;
}

/** The numbers of all targets of a site, of a provider, or of both; undefined where neither is asked for. */
export function targetsThat(
  db: Db,
  { asset, provider }: { readonly asset: string | undefined; readonly provider: Provider | undefined },
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
