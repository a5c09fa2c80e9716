/** A site's traffic right now: asked only while somebody looks, shared by all who do, with a cooldown that outlives a restart. */
export type {
  HourCounts,
  HourlyCounts,
  LiveFeed,
  LiveView,
  RealtimeCounts,
} from "./contract.ts";
export { trafficSource } from "./source.ts";
export { type LiveAskers, LiveTraffic } from "./traffic.ts";
