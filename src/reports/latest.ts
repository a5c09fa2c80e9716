/** The latest nightly report, as far as an overview names it. */

import type { Db } from "../store/store.ts";
import { findLatestSent, type StoredPulse } from "./pulse.ts";
import type { Pulse } from "./reading_store.ts";

export interface LatestPulse extends Omit<StoredPulse, "body"> {
  /** How many metrics it carries. */
  readonly metrics: number;
  readonly report: Pulse;
}

/** The latest nightly report of a site, or undefined: never one for a day ahead of `now`. */
export function findLatestPulse(db: Db, asset: string, now: number): LatestPulse | undefined {
  const sent = findLatestSent(db, asset, now);
  if (sent === undefined) return undefined;
  const { body, ...rest } = sent;
  const report = JSON.parse(body) as Pulse;
  return { ...rest, metrics: Object.keys(report.metrics).length, report };
}
