/** Freshness of the ingest: a metric of the service's own asset, and the flag on it for each site that fell silent. */
export { beat, listDowntimes } from "./downtime.ts";
export { type FreshnessDeps, judgeSites } from "./judge.ts";
export { freshnessMetric, isFreshnessMetric } from "./metric.ts";
export { type OwnPulseDeps, sendOwnPulse } from "./own_pulse.ts";
export { isSilent, judgeFreshness, type SilentSite } from "./rule.ts";
