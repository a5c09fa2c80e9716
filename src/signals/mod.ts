/** Provider signals: what is pulled for a site, what was told of it, and which of its series wait to be judged. */
export { findLastTold, type LastTold } from "./told_store.ts";
export {
  awaitSignalJudging,
  endSignalWaiting,
  findSignalBacklog,
  isStillWaiting,
  listSignalTurns,
  type SignalBacklog,
  type WaitingSignals,
} from "./waiting_store.ts";
