/** What is kept of archived reports: the first rows and what says how much of the whole they are. */
export type { InsightBody, StoredInsight } from "./contract.ts";
export { type Coverage, coverageOf, coverageWords, totalOf } from "./coverage.ts";
export { insightFold } from "./fold.ts";
export { holdProviderIssues } from "./hold_issues.ts";
export { type Earlier, earlierRows } from "./kept.ts";
export {
  findInsight,
  type InsightHead,
  listHeads,
  listInsights,
  putInsight,
} from "./store.ts";
export { insight } from "./table.ts";
