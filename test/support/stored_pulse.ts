import type { Db } from "../../src/db/mod.ts";
import type { UtcDay } from "../../src/lib/utc_day.ts";
import { findPulseBody, findPulseRow, type PulseRow } from "../../src/pulse/mod.ts";

/** One nightly report with its body, read as its page reads them; undefined where there is none. */
export function findPulse(
  db: Db,
  asset: string,
  date: UtcDay,
  revision: number,
): (PulseRow & { readonly body: string }) | undefined {
  const row = findPulseRow(db, asset, date, revision);
  return row === undefined ? undefined : { ...row, body: findPulseBody(db, row) };
}
