/** The rows of one currency as a file (RFC 4180), read piece by piece so that a long one holds up nobody. */
import type { Db } from "../../db/mod.ts";
import { Amount } from "../../ledger/amount.ts";
import { answerOf, isOpenEstimate, type LedgerRow, listLedger } from "../../ledger/store.ts";
import { lineOf } from "../site_days/csv.ts";
import { decimalOf } from "./view.ts";

/** Rows read in one turn of the event loop. */
const PIECE = 500;

/** The fields of a row as an upload takes them, then what Tower knows of it. Amounts are minor units, `value` the currency's own. */
const COLUMNS =
  "asset kind source period status change minutes rate amount value low high currency currency_basis ref id corrects recorded_at recorded_by".split(
    " ",
  );

function cellsOf(row: LedgerRow): string[] {
  const cells: Readonly<Record<string, unknown>> = {
    ...answerOf(row),
    value: isOpenEstimate(row) ? null : decimalOf(row.amount),
  };
  return COLUMNS.map((name) => {
    const cell = cells[name] ?? "";
    return String(cell instanceof Amount ? cell.toJSON() : cell);
  });
}

/**
 * Every row of one currency that no other corrects, the newest period first. A text that a spreadsheet would take for a formula gets an
 * apostrophe; a negative amount stays a number, since nothing but digits follows its sign.
 */
export function ledgerCsv(
  db: Db,
  of: { readonly currency: string; readonly asset: string | undefined },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after: Pick<LedgerRow, "period" | "id"> | undefined;
  return new ReadableStream({
    start: (to) => to.enqueue(encoder.encode(lineOf(COLUMNS))),
    pull: (to) => {
      const rows = listLedger(db, of, PIECE, after);
      const lines = rows.map((row) => lineOf(cellsOf(row)));
      to.enqueue(encoder.encode(lines.join("")));
      after = rows.at(-1);
      if (rows.length < PIECE) to.close();
    },
  });
}
