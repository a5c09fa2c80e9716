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
  ARCHIVE_OUTCOMES,
  type ArchiveNote,
  type ArchiveObject,
  type ArchiveOutcome,
  type ManifestRow,
} from "./contract.ts";
export { countDamage, type Damage, findDamage, isNothing, listDamage, noteLooked } from "./damage_store.ts";
export type { Estimate } from "./estimate.ts";
export type { InsightReport, KeptReport } from "./insight_view.ts";
export { copyAnew } from "./manifest_copy.ts";
export { listManifest, type ManifestStretch } from "./manifest_list.ts";
export { findReport, reportsOfObject, reportsOfRun } from "./manifest_store.ts";
export { objectReads, READ_OBJECT } from "./object_read_routes.ts";
export { objectsNamed } from "./object_row_store.ts";
export { ARCHIVE_JOB } from "./plan_store.ts";
export { LIST_MANIFEST, manifestReads } from "./read_routes.ts";
export { ARCHIVE_MODELS } from "./rebuild_store.ts";
export { datesOfRun, type ReportFacts } from "./report_facts.ts";
export { reportKey } from "./report_health.ts";
export { newestOutcomes, type PlacedOutcome } from "./report_outcomes.ts";
export { scrub } from "./scrub.ts";
export { siteInsights } from "./site_insights.ts";
export { listSkips } from "./skip_store.ts";
export { spoolFolder } from "./spool_folder.ts";
export {
  type ArchiveTally,
  type ArchiveTotal,
  isTriedBefore,
  listTally,
  listTallyOf,
  listTotals,
} from "./tally_store.ts";
export { listTargets } from "./target_store.ts";
export { FAULT_WORDS, faultLines, noteLines, readWords } from "./verification_words.ts";
export { type Verification, verifyArchive } from "./verify.ts";
