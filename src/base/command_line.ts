/** Command lines: the words after a command read by its table of arguments and options, the help made of it, and lists for a terminal. */

import { parseArgs } from "node:util";
import { didYouMean, nearest, onOneLine, shortText } from "./text.ts";

/** An option: one with `value` takes what that stands for, one without is there or not. */
interface Option {
  /** What stands for its value in the help, for example `<id>`. */
  readonly value?: string;
  /** Whether it may be given more than once. */
  readonly many?: true;
  /** Whether an empty value says that there is none any more. */
  readonly clears?: true;
  /** What it is for, in the help. */
  readonly says: string;
}

/** A command's table of options, by their names without the hyphens. */
export interface Options {
  readonly [name: string]: Option;
}

/** What a command takes. */
export interface Syntax<Table extends Options = Options> {
  /** The arguments beside the options, each of which is needed, for example `<id>`. */
  readonly takes: readonly string[];
  readonly options: Table;
}

/** What was given to a command. */
export interface Given<Table extends Options = Options> {
  /** As many as the command takes. */
  readonly args: readonly string[];
  readonly options: string extends keyof Table
    ? { readonly [name: string]: string | true | readonly string[] }
    : { readonly [Name in keyof Table]?: ValueOf<Table[Name]> };
}

type ValueOf<Of extends Option> = Of extends { readonly value: string }
  ? Of extends { readonly many: true }
    ? readonly string[]
    : string
  : true;

/** What was given, or a sentence that names what is wrong with it. */
type ReadWords<Table extends Options> =
  | { readonly ok: true; readonly given: Given<Table> }
  | { readonly ok: false; readonly fault: string };

/** Whether help is asked for: wherever it stands among the words. */
export function asksHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Reads the words after a command. Nothing is passed over: what is not in its table is refused, and so is what is given twice. */
export function readWords<const Table extends Options>(
  { takes, options }: Syntax<Table>,
  words: readonly string[],
): ReadWords<Table> {
  const types = Object.entries(options).map(([name, { value }]) => [
    name,
    { type: value === undefined ? "boolean" : "string" } as const,
  ]);
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args: string[] = [];
  const values = new Map<string, string | true | string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = rawName.startsWith("--") && Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      const near = nearest(
        rawName,
        Object.keys(options).map((known) => `--${known}`),
      );
      return fault(`there is no option ${shown(rawName)}${didYouMean(near)}`);
    }
    const known = values.get(name);
    if (known !== undefined && option.many === undefined) return fault(`${rawName} is given twice`);
    if (option.value === undefined) {
      if (value !== undefined) return fault(`${rawName} takes no value`);
      values.set(name, true);
    } else if (
      value === undefined ||
      (value === "" && option.clears !== true) ||
      (!inlineValue && value.startsWith("--"))
    ) {
      return fault(`${rawName} needs a value: ${rawName} ${option.value}`);
    } else {
      values.set(name, option.many === undefined ? value : [...(Array.isArray(known) ? known : []), value]);
    }
  }
  const missing = takes[args.length];
  if (missing !== undefined) return fault(`${missing} is missing`);
  const more = args[takes.length];
  if (more !== undefined) {
    return fault(
      `${shown(more)} is too much: ${takes.length === 0 ? "it takes no argument" : `it takes only ${takes.join(" ")}`}`,
    );
  }
  return { ok: true, given: { args, options: Object.fromEntries(values) as Given<Table>["options"] } };
}

/** Longest word that is repeated, in characters: a file's content in the place of its name would push the sentence out of sight. */
const LONGEST_SHOWN = 200;

/** A word of a command line, in a sentence about it. */
export function shown(word: string): string {
  const short = shortText(word, LONGEST_SHOWN);
  return /^[\w./:@*=+-]+$/.test(short) ? short : `"${onOneLine(short)}"`;
}

function fault(sentence: string): { readonly ok: false; readonly fault: string } {
  return { ok: false, fault: sentence };
}

/** Columns of the terminal that help is written for. */
export const HELP_WIDTH = 80;
/** A space at which no line ends. */
const UNBROKEN = "\u00a0";
/** Columns that the names of options may take before what they are for. */
const WIDEST_NAME = 26;

/** A paragraph, or a list of names and what each is for. */
type Part = string | readonly (readonly [name: string, says: string])[];

/** What the help of a command says. */
export interface Described extends Syntax {
  /** The words that call it, for example `token issue`. */
  readonly name: string;
  /** The way to call it, where its table alone does not say it. */
  readonly form?: string;
  /** What it does. */
  readonly about: readonly Part[];
  /** What stands after its options. */
  readonly more?: readonly Part[];
}

/** The whole help of a command. */
export function helpText(program: string, described: Described): string {
  const { name, form = formOf(described), about, options, more = [] } = described;
  const call = `Usage: ${program} ${name} `;
  const table = Object.entries(options).map(
    ([option, { value, says }]) => [nameOf(option, value), says] as const,
  );
  const parts = [...about, ...(table.length === 0 ? [] : [table]), ...more];
  return [
    wrapped(form, call, " ".repeat(call.length)).trimEnd(),
    ...parts.map((part) => (typeof part === "string" ? wrapped(part) : listed(part))),
  ].join("\n\n");
}

/** A list of names and what each is for, in two columns. */
export function listed(rows: readonly (readonly [name: string, says: string])[]): string {
  const width = Math.min(WIDEST_NAME, Math.max(...rows.map(([name]) => name.length)));
  const indent = " ".repeat(width + 4);
  return rows
    .map(([name, says]) =>
      name.length > width
        ? `  ${name}\n${wrapped(says, indent, indent)}`
        : wrapped(says, `  ${name.padEnd(width)}  `, indent),
    )
    .join("\n");
}

/** A paragraph in lines of at most 80 columns; a longer word has a line of its own. */
export function wrapped(text: string, first = "", indent = ""): string {
  return Bun.wrapAnsi(text, HELP_WIDTH - indent.length)
    .split("\n")
    .map((line, index) => (index === 0 ? first : indent) + line)
    .join("\n")
    .replaceAll(UNBROKEN, " ");
}

function formOf({ takes, options }: Syntax): string {
  const optional = Object.entries(options).map(
    ([name, option]) =>
      `[${nameOf(name, option.value).replaceAll(" ", UNBROKEN)}]${option.many === undefined ? "" : "…"}`,
  );
  return [...takes, ...optional].join(" ");
}

function nameOf(name: string, value: Option["value"]): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

// Lists for a terminal: a table for people, one JSON document for programs. What others wrote does nothing to the terminal.

/** Lines of cells, in columns as wide as what stands in them; the first are the headings. */
export function terminalTable(lines: readonly (readonly string[])[]): string {
  const rows = lines.map((cells) => cells.map((cell) => onOneLine(cell) || "-"));
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[at] ?? ""))),
  );
  return rows
    .map((row) =>
      row
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

/** Where npx keeps what it runs: under no name that a shell finds. */
const OF_NPX = /[\\/]_npx[\\/]/;

/** The command line as it is called where this Bun is: by name, or through npx where that alone has it. */
export function commandWord(bun: string = process.execPath): string {
  return OF_NPX.test(bun) ? `npx -y bun@${Bun.version} run tower` : "bun run tower";
}

/** The same for the Bun that runs this. */
export const TOWER_COMMAND = commandWord();
