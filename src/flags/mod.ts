/**
 * Flags: one store for flags that sites send, that rules raise and that providers report. Every flag keeps its rule and
 * inputs; at most one is open per (rule, asset, source, subject); everything that happens to it is appended to its record.
 */
export {
  ACT_NAMES,
  ACT_NOUNS,
  ACTS,
  type ActName,
  type ActNoun,
  type ActOutcome,
  actOfNoun,
  performAct,
} from "./acts.ts";
export { findLastOfChain, isResolvedByHand, listEarlier } from "./chain_store.ts";
export { type FlagEvent, type FlagStep, listFlagEvents, listFlagSteps } from "./change_store.ts";
export type {
  ChainedFlag,
  FlagRecordRow,
  FlagRow,
  RuleInputs,
  SeriesSource,
  Severity,
  Verdict,
} from "./contract.ts";
export { FLAG_KINDS, FLAG_ORIGINS, SERIES_SOURCES, SEVERITIES } from "./contract.ts";
export {
  countInbox,
  type InboxFilter,
  type InboxMark,
  type InboxStatus,
  listInbox,
  listInboxChoices,
  MOST_COUNTED,
} from "./inbox_store.ts";
export { findHeldInputs, holdOpen, release, reviseOpen } from "./lasting.ts";
export {
  type FlowFlag,
  findLatestOf,
  type HeldFlag,
  latestMilestone,
  listFlowFlags,
  listFlowFlagsRaised,
  listHeld,
  listOpenSubjects,
} from "./lookup_store.ts";
export { raiseResolved } from "./milestone.ts";
export {
  type FlagTurn,
  findFirstBegun,
  listFlagMoments,
  tallyFlagMoments,
} from "./moment_store.ts";
export { type FlagNews, listFlagNews, listFlagsById } from "./news_store.ts";
export { MAX_NOTE, readNote } from "./note.ts";
export {
  countOpenByState,
  type InboxTally,
  inboxTally,
  NOTHING_OPEN,
  OPEN_STATES,
  type OpenTally,
  openIn,
  tallySites,
} from "./open_store.ts";
export { flagReads, LIST_FLAGS, READ_FLAG } from "./read_routes.ts";
export { FLAG_MODEL, SNOOZE_MODEL } from "./rebuild_store.ts";
export { type ChangedFlag, type JudgedRule, reconcileFlags } from "./reconcile.ts";
export { type FlagHistory, lastRecordId, listActs, readHistory } from "./record_store.ts";
export { retireFlags } from "./retire.ts";
export { applySiteFlags } from "./site_flags.ts";
export { isSnoozed, readUntil, snoozeRuns } from "./snooze_until.ts";
export { findChainedFlag, findFlag, listChainedFlags, listFlags } from "./store.ts";
export { titleOf } from "./title.ts";
export { countTuned } from "./tuned_store.ts";
export { versionOf } from "./version.ts";
