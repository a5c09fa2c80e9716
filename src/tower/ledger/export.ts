/** The rows of one currency as a file (RFC 4180), read piece by piece so that a long one holds up nobody. */
import type { Db } from "../../db/mod.ts";
import type { LedgerRow } from "../../ledger/store.ts";
import { listLedger } from "../../ledger/store.ts";
import { formatInstant } from "../../lib/instant.ts";
import { lineOf } from "../site_days/csv.ts";
import { decimalOf, isOpenEstimate } from "./view.ts";

/** Rows read in one turn of the event loop. */
const PIECE = 500;

/** The fields of a row as an upload takes them, then what Tower knows of it. Amounts are minor units, `value` the currency's own. */
const COLUMNS: readonly (readonly [
  name: string,
  cell: (row: LedgerRow) => string | number | null | undefined,
])[] = [
  ["asset", ({ asset }) => asset],
  ["kind", ({ kind }) => kind],
  ["source", ({ source }) => source],
  ["period", ({ period }) => period],
  ["status", ({ status }) => status],
  ["change", ({ change }) => change],
  ["minutes", ({ minutes }) => minutes],
  ["rate", ({ rate }) => rate],
  ["amount", ({ amount }) => amount.toJSON()],
  ["value", (row) => (isOpenEstimate(row) ? null : decimalOf(row.amount))],
  ["low", ({ low }) => low?.toJSON()],
  ["high", ({ high }) => high?.toJSON()],
  ["currency", ({ currency }) => currency],
  ["currency_basis", ({ currency_basis }) => currency_basis],
  ["ref", ({ ref }) => ref],
  ["id", ({ id }) => id],
  ["corrects", ({ corrects }) => corrects],
  ["recorded_at", ({ recorded_at }) => formatInstant(recorded_at)],
  ["recorded_by", ({ recorded_by }) => recorded_by],
];

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
    start: (to) => to.enqueue(encoder.encode(lineOf(COLUMNS.map(([name]) => name)))),
    pull: (to) => {
      const rows = listLedger(db, of, PIECE, after);
      const lines = rows.map((row) => lineOf(COLUMNS.map(([, cell]) => String(cell(row) ?? ""))));
      to.enqueue(encoder.encode(lines.join("")));
      after = rows.at(-1);
      if (rows.length < PIECE) to.close();
    },
  });
}
