/** A valid nightly report with as little in it as the contract asks for. */

import type { UtcDay } from "../../../src/base/time.ts";
import { findPulseBody, findPulseRow, type Pulse, type PulseRow } from "../../../src/reports/pulse.ts";
import type { Db } from "../../../src/store/store.ts";

export function pulse(changes: Partial<Pulse> = {}): Pulse {
  return { asset: "harbor", generatedAt: "2026-03-01T02:30:00Z", metrics: {}, ...changes };
}

/** A report with every field. */
export function fullPulse(changes: Partial<Pulse> = {}): Pulse {
  return pulse({
    capabilities: ["signups", "errors"],
    metrics: {
      signups: { last24h: 14, avg7d: 12.4, total: 1_902 },
      "errors.5xx": { last24h: 0, avg7d: 0.5, total: 9 },
    },
    negativeByPage: [
      { page: "/checkout", count: 12 },
      { page: "/", count: 31 },
    ],
    flags: [{ severity: "warn", kind: "anomaly", metric: "signups", msg: "Fewer sign-ups than last week." }],
    ...changes,
  });
}

// One nightly report with its body, read as its page reads them; undefined where there is none.

export function findPulse(
  db: Db,
  asset: string,
  date: UtcDay,
  revision: number,
): (PulseRow & { readonly body: string }) | undefined {
  const row = findPulseRow(db, asset, date, revision);
  return row === undefined ? undefined : { ...row, body: findPulseBody(db, row) };
}
