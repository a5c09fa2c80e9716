/** Provider signals: what is pulled for a site, every attempt of it, what was told of it, and which of its series wait to be judged. */

export { attemptFaults } from "./attempt_check_store.ts";
export { countAttemptPacks } from "./attempt_pack_store.ts";
export { attemptsOfRun, findConnectionHold, limitedUntil, recordAttempt } from "./attempt_store.ts";
export { PULL_OUTCOMES, type PullOutcome } from "./contract.ts";
export type { DayRevision } from "./day_revisions.ts";
export {
  findLastTold,
  type LastTold,
  movingDays,
  revisionsBetween,
  revisionsOfDay,
} from "./day_revisions.ts";
export { holdSilentSources, isAwaited, LateSources } from "./late_source.ts";
export { listedAddresses, listMatched, MATCHED_FOR_MS } from "./matched_site.ts";
export { type NamedAttempt, type NamedStretch, namedAttempts, type WantedAttempts } from "./named_attempt.ts";
export { findKnownProperty } from "./observation_store.ts";
export { packSettled } from "./pack_settled.ts";
export { allPulled, askerOf, attachedQuestions, type Question } from "./pull_one.ts";
export { matchedQuestions } from "./pull_webmaster.ts";
export { Pulls } from "./pulls.ts";
export { LIST_SIGNALS, signalReads } from "./read_routes.ts";
export { SIGNAL_MODEL } from "./rebuild_store.ts";
export { endSlowProbe, noteAccountFault } from "./record_answer.ts";
export { LIST_RUNS, runReads } from "./run_read_routes.ts";
export {
  type HeldTarget,
  lastTimeZone,
  listHeld,
  listMetLimits,
  listSourceAttempts,
  type MetLimit,
  type PullStanding,
  pullStanding,
  type SourceAttempt,
} from "./standing_store.ts";
export {
  awaitSignalJudging,
  endSignalWaiting,
  findSignalBacklog,
  isStillWaiting,
  listSignalTurns,
  type WaitingSignals,
} from "./waiting_store.ts";
