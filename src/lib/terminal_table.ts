/** Lists for a terminal: a table for people, one JSON document for programs. What others wrote does nothing to the terminal. */
import { onOneLine } from "./one_line.ts";

/** A column: its heading, and what stands in it; "" where there is nothing. */
export interface TerminalColumn<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
}

/** Rows under their headings, in columns as wide as what stands in them. */
export function terminalTable<Row>(columns: readonly TerminalColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ head }) => head),
    ...rows.map((row) => columns.map(({ cell }) => onOneLine(cell(row)) || "-")),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => Bun.stringWidth(line[at] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One JSON document on one line, in which whatever a terminal obeys is escaped. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
