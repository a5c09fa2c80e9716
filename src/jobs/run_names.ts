/** Runs by their names: they never change, so that what was read once of them is kept. */
import { type Db, prepared } from "../db/mod.ts";
import { findRun } from "./store.ts";

/** A run as it is named to the outside. */
export interface RunNames {
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
