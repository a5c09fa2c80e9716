/**
 * The constants document: thresholds that an operator edits as text. Owns the file's contract, its defaults, who set what
 * when, and which version is in effect. A document with a mistake never takes effect.
 */
export { type ConstantsProblem, ConstantsStore, type DocumentOnDisk } from "./constants_store.ts";
export { type Constants, FLOW_KEYS, MAX_DOCUMENT_BYTES } from "./contract.ts";
export { type DifferenceHunk, type DifferenceLine, lineDifference } from "./difference.ts";
export { setOverride, unsetOverride } from "./edit.ts";
export { type Problem, parseConstants } from "./parse.ts";
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
  type ConstantsInEffect,
  type ConstantsVersion,
  type ConstantsVersionSummary,
  documentFaults,
  FILE_AUTHOR,
  findVersion,
  listVersions,
  SERVICE_AUTHOR,
} from "./store.ts";
export type { KeyPath } from "./toml.ts";
