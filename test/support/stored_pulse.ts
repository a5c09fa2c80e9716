/** One nightly report with its body, read as its page reads them; undefined where there is none. */

import type { UtcDay } from "../../src/base/time.ts";
import { findPulseBody, findPulseRow, type PulseRow } from "../../src/reports/pulse.ts";
import type { Db } from "../../src/store/store.ts";

export function findPulse(
  db: Db,
  asset: string,
  date: UtcDay,
  revision: number,
): (PulseRow & { readonly body: string }) | undefined {
  const row = findPulseRow(db, asset, date, revision);
  return row === undefined ? undefined : { ...row, body: findPulseBody(db, row) };
}
