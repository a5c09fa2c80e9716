/** The help of a command, made of its table of arguments and options, for terminals of 80 columns. */
import type { Option, Syntax } from "./command_line.ts";

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
  /** The ways to call it, where its table alone does not say them. */
  readonly forms?: readonly string[];
  /** What it does. */
  readonly about: readonly Part[];
  /** What stands after its options. */
  readonly more?: readonly Part[];
}

/** The whole help of a command. */
export function helpText(program: string, described: Described): string {
  const { name, forms = [formOf(described)], about, options, more = [] } = described;
  const call = `${program} ${name}`;
  const usage = forms.map((form, index) =>
    wrapped(
      `${call} ${form}`.trimEnd(),
      `${index === 0 ? "Usage:" : "      "} `,
      " ".repeat(7 + call.length + 1),
    ),
  );
  const table = Object.entries(options).map(
    ([option, { value, says }]) => [nameOf(option, value), says] as const,
  );
  const parts = [...about, ...(table.length === 0 ? [] : [table]), ...more];
  return [
    usage.join("\n"),
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
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > HELP_WIDTH) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n").replaceAll(UNBROKEN, " ");
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
