/** Revenue or costs from a CSV file: each bad line is named, and all lines are stored or none. */

import { CsvError, parse } from "csv-parse/sync";
import type { GenericSchema } from "valibot";
import { TimeSlicer } from "../base/concurrency.ts";
import { readContract } from "../base/contract.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type Cost, costSchema, revenueSchema } from "./amount.ts";
import { type Entry, type RecordedBy, recordCost, revenueEntry } from "./ledger.ts";

/** Largest file, in bytes, and most lines: they are stored in one transaction. */
export const MAX_CSV_BYTES = 4 * 1024 * 1024;
const MAX_LINES = 20_000;
/** Longest stretch of judging in one turn of the event loop, in milliseconds. */
const SLICE_MS = 3;

interface FileKind {
  readonly columns: readonly string[];
  schema(now: () => number): GenericSchema;
  entryOf(value: unknown): Entry;
}

/** What a file may hold. */
export const FILE_KINDS = {
  revenue: {
    columns: "asset period source status amount currency ref low high legacy".split(" "),
    schema: revenueSchema,
    entryOf: revenueEntry,
  },
  costs: {
    columns: "asset kind source period change amount minutes currency ref legacy".split(" "),
    schema: costSchema,
    entryOf: (cost: Cost): Entry => cost,
  },
} as const satisfies Readonly<Record<string, FileKind>>;
export type FileKindName = keyof typeof FILE_KINDS;

/** What is wrong in a line of the file; `line` is null where it is the whole file, `field` where it is the whole line. */
export interface BadLine {
  readonly line: number | null;
  readonly field: string | null;
  readonly reason: string;
}

/** Reads a file and judges each line by the contract; the sites and rows that are stored are asked where it is recorded. */
export async function readLedgerCsv(bytes: Uint8Array, kind: FileKindName, now: number) {
  const { columns, schema }: FileKind = FILE_KINDS[kind];
  const good: { line: number; value: unknown }[] = [];
  const bad: BadLine[] = [];
  const refused = (reason: string) => ({ good, bad: [{ line: null, field: null, reason }] });
  const text = textOf(bytes);
  if (text === undefined) return refused("is not UTF-8 text: save it as CSV UTF-8");
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > MAX_LINES) return refused(`has more than ${MAX_LINES} lines: split it`);
  const { rows, broken } = rowsOf(lines);
  const [header, ...entries] = rows;
  if (header === undefined || broken.includes(1)) return refused("has no header line");
  const names = header.record;
  const strange = names.find((name, at) => !columns.includes(name) || names.indexOf(name) !== at);
  if (strange !== undefined) {
    const shown = JSON.stringify(strange.slice(0, 40));
    return refused(`has ${shown} as a column, or has it twice: its columns may be ${columns.join(", ")}`);
  }
  if (entries.length + broken.length === 0) return refused("has no line below its header");
  const contract = schema(() => now);
  const judge = ({ info: { lines: line }, record: cells }: ParsedRow) => {
    const reason = `has ${cells.length} cells where the header has ${names.length}`;
    if (cells.length !== names.length) return void bad.push({ line, field: null, reason });
    const given = names
      .map((name, at) => [name, cellValue(name, cells[at] ?? "")])
      .filter(([, value]) => value !== "");
    const result = readContract(contract, Object.fromEntries(given));
    if (result.ok) good.push({ line, value: result.value });
    else bad.push(...badOf(line, result.errors));
  };
  const slices = new TimeSlicer(SLICE_MS);
  for (const entry of entries) await slices.run(() => judge(entry));
  const open = "has a quotation mark that is not closed in its line";
  return { good, bad: [...broken.map((line) => ({ line, field: null, reason: open })), ...bad] };
}

const badOf = (line: number, errors: readonly { readonly pointer: string; readonly message: string }[]) =>
  errors.map(({ pointer, message }): BadLine => ({ line, field: pointer.slice(1), reason: message }));

/** UTF-8, with or without its mark, or UTF-16 with its own, as Excel's Unicode text has it; without one its NULs tell it. */
function textOf(bytes: Uint8Array): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A cell as the contract takes it; what is no number or truth stays text, which the contract refuses. */
function cellValue(column: string, cell: string): unknown {
  if (["amount", "low", "high", "minutes"].includes(column))
    return /^-?\d+$/.test(cell) ? Number(cell) : cell;
  return column === "legacy" && ["true", "false"].includes(cell) ? cell === "true" : cell;
}

interface ParsedRow {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

/** The lines that have something in them, and the numbers of those that cannot be read. */
function rowsOf(lines: readonly string[]): { rows: readonly ParsedRow[]; broken: readonly number[] } {
  const delimiter = [",", ";", "\t"].find((separator) => lines[0]?.includes(separator)) ?? ",";
  const parsed = (some: readonly string[]): readonly ParsedRow[] | undefined => {
    const options = { delimiter, info: true, trim: true, relax_quotes: true, relax_column_count: true };
    try {
      const asked = { ...options, record_delimiter: "\n", skip_records_with_empty_values: true };
      return parse(some.join("\n"), asked) as unknown as readonly ParsedRow[];
    } catch (error) {
      if (error instanceof CsvError) return undefined;
      throw error;
    }
  };
  const rows = parsed(lines);
  if (rows?.every(({ record }) => !record.some((cell) => cell.includes("\n")))) return { rows, broken: [] };
  // A quotation mark that is not closed takes in the lines after it: then each line is read by itself.
  const isWhole = lines.map((line) => parsed([line]) !== undefined);
  const broken = isWhole.flatMap((whole, at) => (whole ? [] : [at + 1]));
  return { rows: parsed(lines.map((line, at) => (isWhole[at] === true ? line : ""))) ?? [], broken };
}

/** What takes a transaction back that must store nothing. */
class NothingStored extends Error {}

/** Judges a file and stores it in one transaction: nothing of it in a dry run, nor where a line is bad. */
export async function importLedger(
  { writer }: { readonly writer: Pick<Writer, "write"> },
  kind: FileKindName,
  bytes: Uint8Array,
  { dryRun, ...by }: RecordedBy & { readonly dryRun: boolean },
) {
  const { entryOf }: FileKind = FILE_KINDS[kind];
  const counts = { stored: 0, replayed: 0, corrected: 0 };
  const { good, bad } = await readLedgerCsv(bytes, kind, by.now);
  const record = (tx: Tx): void => {
    for (const { line, value } of good) {
      const recorded = recordCost(tx, entryOf(value), by);
      if (recorded.outcome === "refused") bad.push(...badOf(line, recorded.errors));
      else counts[recorded.outcome]++;
    }
    if (dryRun || bad.length > 0) throw new NothingStored();
  };
  await writer.write(record).catch((error: unknown) => {
    if (!(error instanceof NothingStored)) throw error;
  });
  return { counts, bad: bad.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)) };
}
