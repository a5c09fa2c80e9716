/** Figures of a backup in words. */
import type { RowCounts } from "../db/mod.ts";

/** Rows by table, for example `rows: audit 12, pulse 340`. */
export function rowsText(rows: RowCounts): string {
  return `rows: ${Object.entries(rows)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")}`;
}
