/** Refused reports of known senders: what a site sends and the contract does not take, so that it does not merely look silent. */
export { RefusedReports } from "./book.ts";
export { refusalCategory } from "./category.ts";
export {
  answerWords,
  REPORT_ROUTES,
  type RefusedReport,
  type Stray,
  type Streak,
  type UnknownSenders,
} from "./contract.ts";
export { flushRefusals, loadRefusals } from "./flush.ts";
export { refusalOf } from "./refusal.ts";
export { forgetRefusals, listRefused, listStreakEnds, listStreaks, type StreakEnd } from "./store.ts";
