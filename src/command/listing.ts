/** What every list on the command line has: a table for people, or one JSON document. */
import { formatInstant } from "../lib/instant.ts";
import { type TerminalColumn, terminalJson, terminalTable } from "../lib/terminal_table.ts";
import { done, type Outcome } from "./contract.ts";

/** The option that asks for it. */
export const JSON_OPTION = { says: "one JSON document, an array, on standard output" } as const;

/** A list as it was asked for. An empty table is said on standard error; in JSON it is an empty array. */
export function listing<Row>(
  rows: readonly Row[],
  how: {
    readonly json: boolean;
    readonly columns: readonly TerminalColumn<Row>[];
    readonly asJson: (row: Row) => unknown;
    /** What is said where there is none. */
    readonly none: string;
    readonly notice?: string;
  },
): Outcome {
  const { notice = "" } = how;
  if (how.json) return done(terminalJson(rows.map(how.asJson)), notice);
  return rows.length === 0 ? done("", how.none) : done(terminalTable(how.columns, rows), notice);
}

/** A moment in a table: to the minute, in UTC. */
export function minuteOf(at: number | null | undefined): string {
  return at === null || at === undefined ? "" : formatInstant(at).slice(0, 16).replace("T", " ");
}

/** A moment in JSON. */
export function instantOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
