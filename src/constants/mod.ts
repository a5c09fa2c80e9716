/**
 * The constants document: thresholds that an operator edits as text. Owns the file's contract, its defaults, who set what
 * when, and which version is in effect. A document with a mistake never takes effect.
 */
export { type Constants, FLOW_KEYS, MAX_DOCUMENT_BYTES } from "./contract.ts";
export { type DifferenceHunk, type DifferenceLine, lineDifference } from "./difference.ts";
export { setOverride, unsetOverride } from "./edit.ts";
export { ConstantsKeeper, type ConstantsProblem, type DocumentOnDisk } from "./keeper.ts";
export type { KeyPath } from "./key_path.ts";
export { parseConstants } from "./parse.ts";
export type { Problem } from "./problem.ts";
export { type ConstantsInEffect, FILE_AUTHOR, SERVICE_AUTHOR } from "./record.ts";
export {
  archiveConstants,
  codebaseThresholds,
  flowThresholds,
  metricOverridesOf,
  silentHours,
  siteOverridesOf,
  usualSilentHours,
} from "./resolve.ts";
export {
  type ConstantsVersion,
  type ConstantsVersionSummary,
  documentFaults,
  findVersion,
  listVersions,
} from "./store.ts";
