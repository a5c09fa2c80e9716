/** What is kept of archived reports: the first rows and what says how much of the whole they are. */
export { insightFold } from "./fold.ts";
export { holdProviderIssues } from "./hold_issues.ts";
export { listInsights, putInsight } from "./store.ts";
