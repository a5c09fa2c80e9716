/**
 * Nightly reports: one per site and UTC day, kept as revisions. An absent metric is absent, never 0; `avg7d` is diagnostic and
 * never reaches a baseline.
 */
export { acceptPulse } from "./accept.ts";
export type { Pulse } from "./contract.ts";
export { PACKABLE_PULSES, PULSE, pulseBodyFaults, pulseRevisionFaults } from "./kind.ts";
export { findLatestPulse } from "./latest.ts";
export { listMetricNames } from "./names_store.ts";
export { LIST_PULSES, pulseReads } from "./read_routes.ts";
export { findFirstDay, listDaily, replaceReadings } from "./reading_store.ts";
export { PULSE_MODELS } from "./rebuild_store.ts";
export { pulseIngest, SEND_PULSE } from "./routes.ts";
export { type DayOffset, DECIDING_REPORTS, offsetChanges } from "./shown_day.ts";
export {
  countReceived,
  findNewestPulseDay,
  findPulseBody,
  findPulseById,
  findPulseRow,
  type Heard,
  hasNightlyReport,
  type LastNight,
  listFreshness,
  listLastNights,
  listRevisions,
  noteAhead,
  type PulseRow,
  type StoredPulse,
} from "./store.ts";
export { type NightlySummary, nightlySummary, STRIP_NIGHTS, WEEK_NIGHTS } from "./view.ts";
export {
  type FigureChange,
  isSame,
  type NamesChange,
  type PulseDifference,
  pulseDifference,
} from "./view_difference.ts";
export type { FamilyState } from "./view_families.ts";
export { isNearMidnight, MIDNIGHT_MINUTES } from "./view_midnight.ts";
export { type Night, type NightState, nightStrip, recentDays } from "./view_nights.ts";
export { dayOffsetOf, listFirstNights, listNights, listReportTimes, listRevisedDays } from "./view_store.ts";
export { type Backlog, endWaiting, findBacklog, listTurns, secondsWaited } from "./waiting_store.ts";
