/** Figures of a backup in words. */
import type { RowCounts } from "../db/mod.ts";

const KIB = 1024;

/** A file's size, for example `12.3 MiB`. */
export function sizeText(bytes: number): string {
  const mib = bytes / KIB / KIB;
  return mib < 0.1 ? `${(bytes / KIB).toFixed(1)} KiB` : `${mib.toFixed(1)} MiB`;
}

/** Rows by table, for example `rows: audit 12, pulse 340`. */
export function rowsText(rows: RowCounts): string {
  return `rows: ${Object.entries(rows)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")}`;
}
