/** How the pages of a provider's report are read: its rows as they come, and then what stands beside them. */
import type { ReportNote } from "../contract.ts";
import type { FaultCode } from "../fault_codes.ts";
import type { RawPage, ReportRow } from "./contract.ts";

/** A row of ours, or why it is none. */
export type RowRead = ReportRow | FaultCode;

export interface PageReader {
  /** The name of the list of rows. */
  readonly list: string;
  row(item: unknown, page: RawPage): RowRead;
  /** What a whole page says beside its rows, of which it has `items` (undefined: no list of them); the fault where that cannot be. */
  pageEnds(rest: unknown, items: number | undefined, page: RawPage): FaultCode | undefined;
  /** What all the pages come to; `isWhole` where the report is not known to end early. */
  ends(isWhole: boolean): FaultCode | PagesRead;
  /** Whether no two rows may have the same keys. */
  readonly isKeyed: boolean;
  /** The place of the day in the keys of a row, `2026-11-18`; undefined where they have none. */
  readonly dayKey: number | undefined;
}

export interface PagesRead {
  readonly timeZone: string | undefined;
  readonly notes: readonly ReportNote[];
}
