/** Provider signals: what is pulled for a site, every attempt of it, what was told of it, and which of its series wait to be judged. */
export { attemptsOfRun, findConnectionHold, recordAttempt } from "./attempt_store.ts";
export { nextRetryAt } from "./next_retry.ts";
export { Pulls } from "./pulls.ts";
export type { Paces } from "./queue.ts";
export { type DayOfSignal, type DayRevision, revisionsOf } from "./revisions.ts";
export { findLastTold, type LastTold } from "./told_store.ts";
export {
  awaitSignalJudging,
  endSignalWaiting,
  findSignalBacklog,
  isStillWaiting,
  listSignalTurns,
  type WaitingSignals,
} from "./waiting_store.ts";
