/** Jobs: what runs by schedule, command or button, one run of each at a time, and the record of runs. */
export type {
  AskedBy,
  JobEntry,
  RunFault,
  RunHandle,
  RunningJob,
  RunOutcome,
  RunReport,
} from "./contract.ts";
export { isAskedByPerson } from "./contract.ts";
export { errorWords } from "./error_words.ts";
export { JobWatch } from "./job_watch.ts";
export { Jobs } from "./jobs.ts";
export type { Patience } from "./overdue.ts";
export { type Pattern, patternOf } from "./pattern.ts";
export { runNames } from "./run_names.ts";
export { findRun, firstRunOf, listRuns, type StoredRun } from "./store.ts";
export { firstPlace, isMissed, look, type PastRun, type Place, restsUntil } from "./timetable.ts";
