/** Simulated providers: for the tests, the benches and the demo. No part of the service loads them. */
export { figuresOf } from "./figures.ts";
export { count as countOf, seedOf, uniform } from "./random.ts";
export type { Fault, ServerName, Where } from "./script.ts";
export { type LoggedRequest, type Simulators, startSimulators } from "./simulators.ts";
export type {
  AnalyticsProperty,
  CrawlIssue,
  DateForm,
  PlantedChange,
  SearchConsoleProperty,
  SimulatedFeed,
  SimulatedSite,
  WebmasterProperty,
  World,
} from "./world.ts";
