/**
 * Nightly reports: one per site and UTC day, kept as revisions. An absent metric is absent, never 0; `avg7d` is diagnostic and
 * never reaches a baseline.
 */
export { type AcceptedPulse, acceptPulse } from "./accept.ts";
export type { Pulse } from "./contract.ts";
export { PACKABLE_PULSES, PULSE, pulseBodyFaults, pulseRevisionFaults } from "./kind.ts";
export { findLatestPulse, type LatestPulse } from "./latest.ts";
export { listMetricNames, mendNames, type NameDifference } from "./names_store.ts";
export { LIST_PULSES, pulseReads } from "./read_routes.ts";
export { type DailyReading, findFirstDay, listDaily, replaceReadings } from "./reading_store.ts";
export {
  type FreshnessDifference,
  freshnessDifferences,
  mendFreshness,
  mendReadings,
  nameDifferences,
  type ReadingDifference,
  readingDifferences,
} from "./rebuild_store.ts";
export { type PulseIngestDeps, pulseIngest, SEND_PULSE } from "./routes.ts";
export { SOURCE } from "./source.ts";
export {
  countReceived,
  findNewestPulseDay,
  findPulse,
  findPulseById,
  type Heard,
  hasNightlyReport,
  listFreshness,
  listPulses,
  noteAhead,
  type StoredPulse,
} from "./store.ts";
export {
  type LatestNight,
  type NightlySummary,
  nightlySummary,
  STRIP_NIGHTS,
  type ViewPulse,
  WEEK_NIGHTS,
} from "./view.ts";
export {
  type FigureChange,
  isSame,
  type NamesChange,
  type PulseDifference,
  pulseDifference,
} from "./view_difference.ts";
export type { FamilySource, FamilyState } from "./view_families.ts";
export { isNearMidnight, MIDNIGHT_MINUTES } from "./view_midnight.ts";
export {
  lastNight,
  missedNights,
  type Night,
  type NightState,
  type NightsInput,
  nightStrip,
  recentDays,
} from "./view_nights.ts";
export {
  listFirstNights,
  listHistories,
  listNights,
  type MetricHistory,
} from "./view_store.ts";
export {
  type DayPoint,
  eachDay,
  NIGHTLY_RANGES,
  type NightlyDays,
  type NightlyRange,
  nightlyDays,
  trackPoints,
} from "./view_track.ts";
export {
  type Backlog,
  endWaiting,
  findBacklog,
  judgedUpTo,
  listTurns,
  secondsWaited,
} from "./waiting_store.ts";
