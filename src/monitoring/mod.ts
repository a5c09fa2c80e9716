/** Monitoring failures: what should be watched and is not. Noted as events, kept over a restart, listed while they last. */
export type { Monitored, MonitoringFailure, MonitoringKind } from "./contract.ts";
export { endFailures, noteFailure, noteRecovery } from "./note.ts";
export { MONITORING_MODEL } from "./rebuild_store.ts";
export {
  countMonitoringFailures,
  findMonitoringFailure,
  listFailingAssets,
  listLasting,
  listMonitoringFailures,
} from "./store.ts";
export { MONITORING_KINDS } from "./table.ts";
export { MONITORING_UNAVAILABLE, UNRECORDED } from "./unavailable.ts";
