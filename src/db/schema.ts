/** Every feature's tables, gathered for migrations. */
export * from "../annotations/table.ts";
export * from "../assets/table.ts";
export * from "../audit/table.ts";
export * from "../codebase/table.ts";
export * from "../constants/table.ts";
export * from "../flags/table.ts";
export * from "../flow/table.ts";
export * from "../monitoring/table.ts";
export * from "../operators/table.ts";
export * from "../pulse/table.ts";
export * from "./table.ts";

/** Tables that only ever grow; triggers refuse UPDATE and DELETE on them. */
export const APPEND_ONLY_TABLES: readonly string[] = [
  "annotation",
  "audit",
  "codebase_report",
  "constants_version",
  "flag_record",
  "flow_tally",
  "monitoring_event",
  "pulse",
];
