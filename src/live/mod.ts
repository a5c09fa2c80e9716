/** A site's traffic right now: asked only while somebody looks, shared by all who do, with a cooldown that outlives a restart. */

export { LIVE_KINDS, type LiveFeed, type LiveView } from "./contract.ts";
export { type AskedQuestion, listAskedQuestions } from "./lease_store.ts";
export { LiveTraffic, liveAskers, sourceAmong, trafficSource } from "./traffic.ts";
