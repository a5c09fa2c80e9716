/** Freshness of the ingest: a metric of the service's own asset, and the flag on it for each site that fell silent. */
export { beat } from "./downtime.ts";
export { type FreshnessDeps, judgeSites, nightlyOf } from "./judge.ts";
export { isFreshnessMetric } from "./metric.ts";
export { sendOwnPulse } from "./own_pulse.ts";
export { silenceLimit } from "./rule.ts";
export { SITE_STATES, type SiteReporting, type SiteState, siteState } from "./site_state.ts";
