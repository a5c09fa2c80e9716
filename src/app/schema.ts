/** Every feature's tables, gathered for drizzle-kit, which makes migrations of them. Nothing that runs imports it. */

export { audit } from "../access/audit.ts";
export { kioskToken } from "../access/kiosk_tokens.ts";
export {
  apiToken,
  operator,
  operatorDevice,
  operatorSession,
  setupLink,
  signInThrottle,
} from "../access/operators.ts";
export {
  archiveCopy,
  archiveDamage,
  archiveDay,
  archiveObject,
  archivePack,
  archivePlace,
  archiveReport,
  archiveRun,
  archiveSkip,
  archiveStanding,
  archiveTally,
  archiveTarget,
  insight,
} from "../archive/archive_tables.ts";
export { flag, flagRecord, flagSnooze, MILESTONE, URGENCY } from "../flags/flags.ts";
export { MONITORING_KINDS, monitoringEvent, monitoringFailure } from "../health/monitoring.ts";
export { healthPause } from "../health/pauses.ts";
export { refusedReport, refusedStreak } from "../health/refusals.ts";
export { healthEvent, healthState, healthTarget } from "../health/state_store.ts";
export { storedSize } from "../keep/growth.ts";
export { ledgerEntry } from "../ledger/ledger.ts";
export { channel } from "../notices/channels.ts";
export { notice, noticeCause, noticeChannel, noticeItem, OUTCOMES } from "../notices/outbox.ts";
export { attachment, credential, detachment, property } from "../providers/credentials.ts";
export { codebaseBody, codebasePack, codebaseReport } from "../reports/codebase.ts";
export { pulse, pulseBody, pulseFreshness, pulsePack, pulseWaiting } from "../reports/pulse.ts";
export { series, seriesBlock } from "../reports/series.ts";
export { flowProgress, flowTally, flowVerdict } from "../rules/verdicts.ts";
export { panel, panelResult, panelRun } from "../signals/panels.ts";
export {
  liveLease,
  observation,
  observationPack,
  pullAttempt,
  pullAttemptPack,
  pullTarget,
  signalWaiting,
} from "../signals/tables.ts";
export { annotation, annotationStrike, IS_CONSENT_STEP } from "../sites/annotations.ts";
export { calendar } from "../sites/calendars.ts";
export { constantsVersion } from "../sites/constants_document.ts";
export { asset, assetFamily, assetGroup, settingTokenUse, siteToken } from "../sites/sites.ts";
export { jobEnd, jobLease, jobRun } from "../store/job_runs.ts";
export { serviceState } from "../store/service_state.ts";
