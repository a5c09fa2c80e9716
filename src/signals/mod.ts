/** Provider signals: what is pulled for a site, every attempt of it, what was told of it, and which of its series wait to be judged. */
export { movingDays } from "./agreed_days.ts";
export { attemptFaults } from "./attempt_check_store.ts";
export { countAttemptPacks } from "./attempt_pack_count_store.ts";
export { attemptsOfRun, findConnectionHold, limitedUntil, recordAttempt } from "./attempt_store.ts";
export { PULL_OUTCOMES, type PullOutcome } from "./contract.ts";
export { revisionsBetween, revisionsOfDay } from "./day_revisions.ts";
export { type HeldTarget, listHeld } from "./held_store.ts";
export { holdSilentSources, isAwaited, LateSources } from "./late_source.ts";
export { listMetLimits, type MetLimit } from "./limit_store.ts";
export { listedAddresses } from "./match_listed.ts";
export { listMatched, MATCHED_FOR_MS } from "./matched_site.ts";
export { type NamedAttempt, type NamedStretch, namedAttempts, type WantedAttempts } from "./named_attempt.ts";
export { findKnownProperty } from "./observation_store.ts";
export { packSettled } from "./pack_settled.ts";
export { allPulled, askerOf, type Question } from "./pull_one.ts";
export { attachedQuestions } from "./pull_sense.ts";
export { matchedQuestions } from "./pull_webmaster.ts";
export { Pulls } from "./pulls.ts";
export { LIST_SIGNALS, signalReads } from "./read_routes.ts";
export { mendSignals, signalDifferences } from "./rebuild_store.ts";
export { endSlowProbe, noteAccountFault } from "./record_answer.ts";
export type { DayRevision } from "./revisions.ts";
export { LIST_RUNS, runReads } from "./run_read_routes.ts";
export { listSourceAttempts, type SourceAttempt } from "./source_attempt_store.ts";
export { lastTimeZone, type PullStanding, pullStanding } from "./standing_store.ts";
export { findLastTold, type LastTold } from "./told_store.ts";
export {
  awaitSignalJudging,
  endSignalWaiting,
  findSignalBacklog,
  isStillWaiting,
  listSignalTurns,
  type WaitingSignals,
} from "./waiting_store.ts";
