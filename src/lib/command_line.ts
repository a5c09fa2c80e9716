/** The words after a command, by its table of arguments and options: one reader for every command. */
import { didYouMean, nearest } from "./near.ts";
import { onOneLine } from "./one_line.ts";
import { shortText } from "./short_text.ts";

/** An option: one with `value` takes what that stands for, one without is there or not. */
export interface Option {
  /** What stands for its value in the help, for example `<id>`. */
  readonly value?: string;
  /** Whether it may be given more than once. */
  readonly many?: true;
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
export type ReadWords<Table extends Options> =
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
  const args: string[] = [];
  const values = new Map<string, string | true | string[]>();
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === "--") {
      args.push(...left.splice(0));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      args.push(word);
      continue;
    }
    const cut = word.indexOf("=");
    const name = cut < 0 ? word : word.slice(0, cut);
    const option =
      name.startsWith("--") && Object.hasOwn(options, name.slice(2)) ? options[name.slice(2)] : undefined;
    if (option === undefined) {
      const near = nearest(
        name,
        Object.keys(options).map((known) => `--${known}`),
      );
      return fault(`there is no option ${shown(name)}${didYouMean(near)}`);
    }
    const known = values.get(name.slice(2));
    if (known !== undefined && option.many === undefined) return fault(`${name} is given twice`);
    if (option.value === undefined) {
      if (cut >= 0) return fault(`${name} takes no value`);
      values.set(name.slice(2), true);
      continue;
    }
    const value =
      cut >= 0 ? word.slice(cut + 1) : left[0]?.startsWith("--") === true ? undefined : left.shift();
    if (value === undefined || value === "") return fault(`${name} needs a value: ${name} ${option.value}`);
    values.set(
      name.slice(2),
      option.many === undefined ? value : [...(Array.isArray(known) ? known : []), value],
    );
  }
  const missing = takes[args.length];
  if (missing !== undefined) return fault(`${missing} is missing`);
  const more = args[takes.length];
  if (more !== undefined) {
    return fault(
      `${shown(more)} is too much: ${takes.length === 0 ? "no argument is" : `only ${takes.join(" ")} is`} taken`,
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
