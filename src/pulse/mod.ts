/**
 * Nightly reports: one per site and UTC day, kept as revisions. An absent metric is absent, never 0; `avg7d` is diagnostic and
 * never reaches a baseline.
 */
export { type AcceptedPulse, acceptPulse } from "./accept.ts";
export type { Pulse } from "./contract.ts";
export { findLatestPulse, type LatestPulse } from "./latest.ts";
export { pulseReads } from "./read_routes.ts";
export { type PulseIngestDeps, pulseIngest } from "./routes.ts";
export {
  countReceived,
  findFirstDay,
  findPulse,
  latestPulses,
  listAccepted,
  listDaily,
  listFreshness,
  listMetrics,
  listPulses,
  listReadings,
  type PulseFilter,
  type Reading,
  replaceReadings,
  type StoredPulse,
} from "./store.ts";
