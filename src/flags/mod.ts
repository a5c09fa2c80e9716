/**
 * Flags: one store for flags that sites send, that rules raise and that providers report. Every flag keeps its rule and
 * inputs; at most one is open per (rule, asset, source, subject); everything that happens to it is appended to its record.
 */
export { acknowledgeFlag, unacknowledgeFlag } from "./acknowledge.ts";
export type { ActName, ActOutcome, ActRequest } from "./act.ts";
export { findLastOfChain, listEarlier } from "./chain_store.ts";
export { type FlagEvent, lastRecordId, listFlagEvents } from "./change_store.ts";
export type {
  ChainedFlag,
  FlagKind,
  FlagOrigin,
  FlagRecordRow,
  FlagRow,
  FlagStatus,
  NewFlag,
  RuleInputs,
  SeriesSource,
  Severity,
  Verdict,
} from "./contract.ts";
export { FLAG_KINDS, FLAG_ORIGINS, SERIES_SOURCES, SEVERITIES } from "./contract.ts";
export { dropHypothesis, noteHypothesis } from "./hypothesis.ts";
export {
  countInbox,
  type InboxFilter,
  type InboxMark,
  type InboxStatus,
  type InboxTally,
  listInbox,
  listInboxChoices,
  MOST_COUNTED,
  tallyInbox,
} from "./inbox_store.ts";
export { linkIncident, unlinkIncident } from "./incident.ts";
export { type Held, type HeldRun, holdOpen, release } from "./lasting.ts";
export { latestMilestone, listOpenSubjects } from "./lookup_store.ts";
export { raiseResolved } from "./milestone.ts";
export { MAX_NOTE, type Note, readNote } from "./note.ts";
export { flagReads, LIST_FLAGS, READ_FLAG } from "./read_routes.ts";
export { type FlagDifference, flagDifferences, flagFaults, mendFlags } from "./rebuild_store.ts";
export { type ChangedFlag, type JudgedRule, type Reconciled, reconcileFlags } from "./reconcile.ts";
export { appendRecord, type FlagHistory, listActs, listRecords, readHistory } from "./record_store.ts";
export { resolveByHand } from "./resolve.ts";
export { retireFlags } from "./retire.ts";
export { applySiteFlags } from "./site_flags.ts";
export type { SentFlag } from "./site_plan.ts";
export { snoozeFlag, wakeFlag } from "./snooze.ts";
export { mendSnoozes, type SnoozeDifference, snoozeDifferences } from "./snooze_check_store.ts";
export { readUntil, type Until } from "./snooze_until.ts";
export {
  countOpenBySeverity,
  type FlagCursor,
  type FlagFilter,
  findChainedFlag,
  findFlag,
  insertOpenFlag,
  listChainedFlags,
  listFlags,
  resolveFlag,
} from "./store.ts";
export { isSnoozed, RESOLVED_BY_HAND, type Refusal } from "./transitions.ts";
export { recordTune } from "./tune.ts";
export { countTuned } from "./tuned_store.ts";
export { versionOf } from "./version.ts";
