import type { UtcDay } from "../lib/utc_day.ts";

/** What every stored report has, whatever its kind. Times are milliseconds since the epoch. */
export interface ReportRow {
  readonly id: number;
  readonly asset: string;
  readonly date: UtcDay;
  readonly revision: number;
  readonly received_at: number;
  readonly generated_at: number;
  readonly ignored: string | null;
}

/** A kind of report: the tables that hold it, and the columns of its own. */
export interface ReportKind {
  /** What its reports are called where a fault is told. */
  readonly called: string;
  /** Its rows; append-only. */
  readonly rows: string;
  readonly bodies: string;
  readonly packs: string;
  readonly own: readonly string[];
}

/** The columns of every row beside its id, in the order in which they are written. */
export const ROW_COLUMNS = ["asset", "date", "revision", "received_at", "generated_at", "ignored"] as const;
