/** The Timeline: the log of annotations, of all sites and as a tab of each, and their letters under the charts. */
export { marksForChart } from "./marks.ts";
export { timelinePath } from "./query.ts";
export { type TimelineDeps, timelineRoutes } from "./routes.tsx";
