/** The Timeline: the log of annotations, of all sites and as a tab of each, and their letters under the charts. */
export { annotationsOf } from "./marks.ts";
export { timelineRoutes } from "./routes.tsx";
