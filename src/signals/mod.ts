/** Provider signals: what is pulled for a site, every attempt of it, what was told, and which series wait to be judged. */
export {
  attemptsOfRun,
  connectionHeldUntil,
  heldUntil,
  type LatestAttempt,
  latestAttempt,
  recordAttempt,
} from "./attempt_store.ts";
export { type Attempt, PULL_OUTCOMES, type PullOutcome, type PullTarget } from "./contract.ts";
export { targetId } from "./target_store.ts";
export {
  awaitSignalJudging,
  endSignalWaiting,
  findSignalBacklog,
  isStillWaiting,
  listSignalTurns,
  type SignalBacklog,
  type WaitingSignals,
} from "./waiting_store.ts";
