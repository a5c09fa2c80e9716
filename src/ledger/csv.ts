/** Revenue or costs from a CSV file: each bad line is named, and all lines are stored or none. */

import { CsvError, parse } from "csv-parse/sync";
import type { GenericSchema } from "valibot";
import { TimeSlicer } from "../base/concurrency.ts";
import { readContract } from "../base/contract.ts";
import type { Store } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { Amount, type Cost, type Currency, costSchema, revenueSchema } from "./amount.ts";
import {
  decide,
  type Entry,
  findCurrent,
  identityOf,
  insertAll,
  isOpenEstimate,
  type LedgerRow,
  listLater,
  newestRow,
  type RecordedBy,
  revenueEntry,
  toLedgerRow,
} from "./ledger.ts";

/** Largest file, in bytes, and most lines: they are stored in one transaction. */
export const MAX_CSV_BYTES = 4 * 1024 * 1024;
const MAX_LINES = 20_000;

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
export async function readLedgerCsv(
  bytes: Uint8Array,
  kind: FileKindName,
  now: number,
  slices = new TimeSlicer(SLICE_MS),
) {
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
  for (const entry of entries) await slices.run(() => judge(entry));
  const open = "has a quotation mark that is not closed in its line";
  return { good, bad: [...broken.map((line) => ({ line, field: null, reason: open })), ...bad] };
}

const badOf = (line: number, errors: readonly { readonly pointer: string; readonly message: string }[]) =>
  errors.map(({ pointer, message }): BadLine => ({ line, field: pointer.slice(1), reason: message }));

/** UTF-8, with or without its mark; a text with NUL is UTF-16. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
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

/** How many rows of one currency have one outcome, and what they come to. */
export interface Tally {
  readonly currency: Currency;
  readonly outcome: "stored" | "replayed" | "corrected";
  readonly count: number;
  /** From the least to the most that its estimates may be. */
  readonly low: Amount;
  readonly high: Amount;
  /** An affiliate estimate without a range is in it. */
  readonly isOpen: boolean;
}

/** Longest stretch of judging in one turn of the event loop, in milliseconds. */
const SLICE_MS = 3;

/** Judges a file, a few lines in each turn of the event loop, and stores it in one transaction: not in a dry run, nor where a line is bad. */
export async function importLedger(
  { writer, store: { db } }: { readonly writer: Pick<Writer, "write">; readonly store: Pick<Store, "db"> },
  kind: FileKindName,
  bytes: Uint8Array,
  { dryRun, ...by }: RecordedBy & { readonly dryRun: boolean },
) {
  const { entryOf }: FileKind = FILE_KINDS[kind];
  const slices = new TimeSlicer(SLICE_MS);
  const counts = { stored: 0, replayed: 0, corrected: 0 };
  const tallies = new Map<string, Tally>();
  const newest = newestRow(db);
  /** The current row of each identity of the file; those of its own lines are numbered from -1 down. */
  const current = new Map<string, LedgerRow | undefined>();
  const rows: string[] = [];
  const read = await readLedgerCsv(bytes, kind, by.now, slices);
  const bad: BadLine[] = [...read.bad];
  for (const { line, value } of read.good) await slices.run(() => judge(line, entryOf(value)));
  if (!dryRun && bad.length === 0) {
    await writer.write((tx) => {
      const later = listLater(tx, newest).some((row) => current.has(keyOf(row)));
      if (later)
        bad.push({ line: null, field: null, reason: "meets rows that came meanwhile: send it again" });
      else insertAll(tx, rows);
    });
  }
  return {
    counts,
    tallies: [...tallies.values()],
    bad: bad.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)),
  };

  function judge(line: number, entry: Entry): void {
    const key = keyOf(entry);
    const before = current.has(key) ? current.get(key) : findCurrent(db, entry);
    const decided = decide(db, entry, by, before);
    if (decided.outcome === "refused") {
      bad.push(...badOf(line, decided.errors));
      return;
    }
    const isNew = "values" in decided;
    if (isNew) rows.push(JSON.stringify(decided.values));
    const row = isNew ? toLedgerRow({ ...decided.values, id: -rows.length }) : decided.row;
    current.set(key, row);
    counts[decided.outcome]++;
    const { outcome } = decided;
    const { currency, amount, low, high } = row;
    const tally = tallies.get(`${currency} ${outcome}`);
    const sum = (of: "low" | "high", more: Amount | null) =>
      Amount.sum(currency, [...(tally === undefined ? [] : [tally[of]]), more ?? amount]);
    tallies.set(`${currency} ${outcome}`, {
      ...{ currency, outcome, count: (tally?.count ?? 0) + 1, low: sum("low", low), high: sum("high", high) },
      isOpen: tally?.isOpen === true || isOpenEstimate(row),
    });
  }
}

const keyOf = (entry: Entry | LedgerRow): string => JSON.stringify(identityOf(entry as Entry));
