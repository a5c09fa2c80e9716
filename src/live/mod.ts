/** A site's traffic right now: asked only while somebody looks, shared by all who do, with a cooldown that outlives a restart. */
export { liveAskers } from "./ask.ts";
export type { LiveFeed, LiveView } from "./contract.ts";
export { feedScope } from "./feed_health.ts";
export { sourceAmong, trafficSource } from "./source.ts";
export { LiveTraffic } from "./traffic.ts";
