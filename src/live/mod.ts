/** A site's traffic right now: asked only while somebody looks, shared by all who do, with a cooldown that outlives a restart. */
export type {
  HourCounts,
  HourlyCounts,
  LiveFeed,
  LiveSource,
  LiveView,
  MinuteCounts,
  RealtimeCounts,
} from "./contract.ts";
export { LiveTraffic } from "./traffic.ts";
