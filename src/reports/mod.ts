/**
 * What every kind of report keeps and how: one row per accepted report, as revisions of its day, only ever appended to; the body
 * beside it, byte for byte what was sent, packed with others of its site within minutes.
 */
export { reportCheck } from "./check_store.ts";
export { type Ignored, keptIgnored, readIgnored } from "./ignored.ts";
export type { ReportKind, ReportRow } from "./kind.ts";
export { type LogFilter, type LoggedReport, MOST_LOGGED, reportLog } from "./log_store.ts";
export { packable, packBodies } from "./pack_bodies.ts";
export { type Appended, type NewReport, reportStore, type StoredRow } from "./report_store.ts";
export { countPacks, sentBefore } from "./size_store.ts";
