/** The health of integrations: what each operation came to, and what operators paused. */

export { failureWords } from "./capability_copy.ts";
export {
  ARCHIVED,
  CAPABILITIES,
  type Capability,
  capabilityOf,
  NIGHTLY_REPORTS,
} from "./catalogue.ts";
export { healthFaults } from "./check_store.ts";
export type {
  Evidence,
  Failure,
  HealthState,
  Observation,
  Scope,
  Success,
} from "./contract.ts";
export { ACTION_CODES, type Action, type ActionCode, wordsOf } from "./copy.ts";
export { dueOf, type Obligation } from "./due.ts";
export { type KnownEvent, listHealthEvents, listHealthEventsSince } from "./event_store.ts";
export { familyKey, familyOf, listFailingBefore } from "./family.ts";
export { endPauses, pause, resume } from "./pause.ts";
export {
  isInForce,
  isPaused,
  listInForce,
  listPauses,
  type Pause,
  type PauseKey,
  pauseOf,
  pausesInForce,
} from "./pause_store.ts";
export {
  type Attempt,
  endDoubt,
  isUnrecorded,
  recordBeside,
  recorderOf,
  recordRead,
  recordResult,
  resultOf,
} from "./record.ts";
export {
  archiveScope,
  type Check,
  channelScope,
  checkScope,
  dailyScope,
  feedScope,
  ingestScope,
  opaqueId,
  senderScope,
} from "./scopes.ts";
export { AHEAD_MS, type Configuration, type Standing, standingOf } from "./state.ts";
export { findEvidence, type KnownState, listHealthStates } from "./state_store.ts";
export { after, joined } from "./transition.ts";
