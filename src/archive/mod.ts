/** The archive: reports as their providers answered them, one row of the manifest for each attempt to get one. */
export { Archive } from "./archive.ts";
export {
  type ArchiveBySite,
  ArchiveFacts,
  isSameProperty,
  type PropertyArchive,
  type ReadAnew,
} from "./archive_facts.ts";
export { askObjects } from "./ask_objects.ts";
export {
  ARCHIVE_NOTES,
  ARCHIVE_OUTCOMES,
  type ArchiveDay,
  type ArchiveNote,
  type ArchiveObject,
  type ArchiveOutcome,
  type ArchiveTarget,
  isUsable,
  type ManifestRow,
} from "./contract.ts";
export { countDamage, type Damage, findDamage, listDamage, noteLooked } from "./damage_store.ts";
export type { Estimate, LaneEstimate } from "./estimate.ts";
export { insightDifferences, mendInsights } from "./insight_check_store.ts";
export type { InsightReport, KeptReport } from "./insight_view.ts";
export { listManifest, type ManifestQuery, type ManifestStretch } from "./manifest_list.ts";
export {
  findReport,
  listArchiveDays,
  listStandings,
  type NewReport,
  type RecordedReport,
  recordReport,
  reportsOfObject,
  reportsOfRun,
  type Standing,
  type WantedDays,
} from "./manifest_store.ts";
export { objectReads, READ_OBJECT } from "./object_read_routes.ts";
export { findObject, type NumberedObject, objectsNamed } from "./object_row_store.ts";
export { ARCHIVE_JOB } from "./plan_store.ts";
export { LIST_MANIFEST, manifestReads } from "./read_routes.ts";
export { archiveDifferences, mendArchive } from "./rebuild_store.ts";
export { datesOfRun, type ReportFacts } from "./report_facts.ts";
export { archiveScope, reportKey } from "./report_health.ts";
export { newestOutcomes, type PlacedOutcome } from "./report_outcomes.ts";
export { scrub } from "./scrub.ts";
export { siteInsights } from "./site_insights.ts";
export { listSkips, type Skip } from "./skip_store.ts";
export { spoolFolder } from "./spool_folder.ts";
export {
  type ArchiveTally,
  type ArchiveTotal,
  firstTried,
  listTally,
  listTallyOf,
  listTotals,
} from "./tally_store.ts";
export { listTargets, type NumberedTarget, type WantedTargets } from "./target_store.ts";
export { FAULT_WORDS, faultLines, noteLines, readWords } from "./verification_words.ts";
export { type Verification, verifyArchive } from "./verify.ts";
