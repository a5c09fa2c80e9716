/** Integration health as it is read: configuration and stored evidence, projected into the one payload that every view shows. */
export {
  type CapabilityView,
  COVERAGE_STATES,
  type Coverage,
  type HealthEventView,
  type HealthView,
  MOST_EVENTS,
  type RetryReason,
  type SiteHealthView,
  type TargetView,
} from "./contract.ts";
export { type PauseBar, type PauseDeps, pauseAsked, resumeAsked } from "./pauses.ts";
export { healthReads, READ_HEALTH } from "./read_routes.ts";
export { HealthReader } from "./reader.ts";
export { isCounted, type SiteHealth, siteHealth } from "./site_health.ts";
export { endUnwatched } from "./unwatched.ts";
