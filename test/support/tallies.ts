/** What was judged in all, as the panel of calibration adds it up. */

import type { UtcDay } from "../../src/base/time.ts";
import { calibrationOf } from "../../src/rules/verdicts.ts";
import type { Db } from "../../src/store/store.ts";

/** No test's day lies before it, and a span has no end. */
const BEFORE_ALL = "2020-01-01" as UtcDay;

export function allTallies(db: Db) {
  const { tests = 0, notTested = 0, raised = 0, expected = 0 } = calibrationOf(db, BEFORE_ALL)[2] ?? {};
  return { tests, notTested, raised, expected };
}
