/**
 * Commands: what each is made of, what it is given and what it answers. Its words are one table, of which its reader and its help are
 * made; `control.ts` lists all of them, `run_command.ts` runs one.
 */

import type { Clock, Ids } from "../base/base.ts";
import {
  type Described,
  type Given,
  helpText,
  type Options,
  readWords,
  shown,
  type TerminalColumn,
  terminalJson,
  terminalTable,
} from "../base/command_line.ts";
import type { Config } from "../base/config.ts";
import type { InstallationKeys } from "../base/keys.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { formatInstant } from "../base/time.ts";
import type { Writer } from "../store/writer.ts";
import type { Deps } from "./app.ts";

/** What a command did: text for the terminal, and the exit code (0 done, 1 refused or failed, 2 wrong usage). */
export interface Outcome {
  readonly exitCode: number;
  /** For standard output: results that scripts read. */
  readonly stdout: string;
  /** For standard error: notices for people. */
  readonly stderr: string;
}

/** What the command line has gathered before a command runs; it travels over the control socket as JSON. */
export interface Invocation {
  /** The words after the command's own. */
  readonly args: readonly string[];
  /** Where the command was called: relative paths are meant from there, not from where the service runs. */
  readonly cwd?: string | undefined;
  /** A password, where the command asks for one. */
  readonly password?: string | undefined;
  /** What the file holds that the command is given, such as a secret. */
  readonly file?: string | undefined;
  /** Aborts when whoever called is gone or gives up; never over the socket. */
  readonly signal?: AbortSignal | undefined;
  /** Is told, a line at a time, how far a command that lasts is, where somebody looks on; as a call never over the socket. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** What a command that only reads is given. */
export interface ReadOnlyDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Undefined where no key is at hand: then nothing can be proven with it. */
  readonly keys: InstallationKeys | undefined;
  readonly store: { readonly path: string };
  /** Where a service runs, so that it can be told what was done. */
  readonly writer?: Pick<Writer, "write">;
}

/** A command. What it needs beside its words is the data, unless it says otherwise. */
export interface Command<Needs = Deps> extends Described {
  readonly summary: string;
  /** Whether the command line must read a new password first. */
  readonly wantsPassword?: true;
  /** Whether it may begin an installation: every other command refuses a data folder that holds none. */
  readonly setsUp?: true;
  /** Whether it may take long: it ends when it is told to, and other commands are answered meanwhile. */
  readonly lasts?: true;
  /** The file, or `-` for standard input, that the command line must read first: whoever calls may read it, the service may not. */
  readonly fileIn: (words: readonly string[]) => string | undefined;
  /** Most bytes of that file, where it may be of any encoding and larger than a secret: its text travels as base64. */
  readonly fileBytes?: number;
  /** What is wrong with its words, before anything is read or asked. */
  readonly faultIn: (words: readonly string[]) => Outcome | undefined;
  readonly run: (needs: Needs, invocation: Invocation) => Promise<Outcome>;
}

/** A command that reads the database file, also a damaged one, and one in a folder that cannot be written. */
interface ReadOnlyCommand extends Command<ReadOnlyDeps> {
  readonly onlyReads: true;
}

export function onlyReads(known: Command): known is ReadOnlyCommand {
  return "onlyReads" in known;
}

/** What a command is made of: its words, arguments and options are one table, which its reader and its help are made of. */
interface Made<Table extends Options, Needs>
  extends Omit<Described, "takes" | "options">,
    Pick<Command, "summary" | "wantsPassword" | "setsUp" | "lasts" | "fileBytes"> {
  readonly takes?: readonly string[];
  readonly options?: Table;
  /** Which of what was given names a file that the command line must read first. */
  readonly fileOf?: (given: Given<Table>) => string | undefined;
  /** What the table cannot say of what goes together: a sentence on what is wrong. */
  readonly judge?: (given: Given<Table>) => string | undefined;
  readonly run: (needs: Needs, asked: Given<Table> & Omit<Invocation, "args">) => Outcome | Promise<Outcome>;
}

/** Makes commands that need this beside their words. */
export function commandWith<Needs>() {
  return <const Table extends Options = Record<never, never>>(made: Made<Table, Needs>): Command<Needs> => {
    const { fileOf, judge, run, ...described } = made;
    const syntax = { takes: made.takes ?? [], options: made.options ?? ({} as Table) };
    const read = (words: readonly string[]) => {
      const found = readWords(syntax, words);
      const fault = found.ok ? judge?.(found.given) : found.fault;
      return found.ok && fault === undefined
        ? found
        : { ok: false as const, fault: usage(made.name, fault ?? "") };
    };
    return {
      ...described,
      ...syntax,
      faultIn: (words) => {
        const found = read(words);
        return found.ok ? undefined : found.fault;
      },
      fileIn: (words) => {
        const found = read(words);
        return found.ok ? fileOf?.(found.given) : undefined;
      },
      run: async (needs, { args, ...rest }) => {
        const found = read(args);
        return found.ok ? run(needs, { ...found.given, ...rest }) : found.fault;
      },
    };
  };
}

/** Makes a command that works on the data: in the running service over its control socket, else in this process. */
export const command = commandWith<Deps>();

/** Makes a command that only reads. */
export function readOnlyCommand<const Table extends Options = Record<never, never>>(
  made: Made<Table, ReadOnlyDeps>,
): ReadOnlyCommand {
  return { ...commandWith<ReadOnlyDeps>()(made), onlyReads: true };
}

/** The help of a command. */
export function helpOf(described: Described): string {
  return helpText("tower", described);
}

/** A result for scripts. */
export function done(stdout: string, stderr = ""): Outcome {
  return { exitCode: 0, stdout, stderr };
}

/** Done, with nothing for scripts to read. */
export function notice(stderr: string): Outcome {
  return { exitCode: 0, stdout: "", stderr };
}

export function refused(stderr: string): Outcome {
  return { exitCode: 1, stdout: "", stderr };
}

/** The refusal of a name that nothing has, with those that lie near. */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  return `there is no ${what} ${shown(name)}${didYouMean(nearest(name, known))}`;
}

/** What was asked is not understood, in one line that says where more stands. */
function usage(name: string, fault: string): Outcome {
  return { exitCode: 2, stdout: "", stderr: `tower ${name}: ${fault} (tower ${name} --help)` };
}

/** Who acts, as the audit names it. */
export function byCommandLine({ clock }: { readonly clock: Clock }) {
  return { actor: "command-line", now: clock.now() };
}

/** The option that asks for a list as JSON. */
const JSON_OPTION = { says: "one JSON document, an array, on standard output" } as const;
type JsonOption = { readonly json: typeof JSON_OPTION };

/** Rows of a list, with a notice about it. */
interface Listed<Row> {
  readonly rows: readonly Row[];
  readonly notice: string;
}

/** Makes a command that lists rows: a table for people or, with --json, the rows themselves as one JSON array. */
export function listCommand<Row extends object, const Table extends Options = Record<never, never>>({
  rows: rowsOf,
  columns,
  none,
  ...made
}: Omit<Made<Table, Deps>, "run"> & {
  readonly rows: (deps: Deps, given: Given<Table>) => readonly Row[] | Listed<Row> | Outcome;
  readonly columns:
    | readonly TerminalColumn<Row>[]
    | ((given: Given<Table>) => readonly TerminalColumn<Row>[]);
  /** What is said on standard error where there is none; in JSON it is an empty array. */
  readonly none: string;
}): Command {
  const options = { ...made.options, json: JSON_OPTION } as Table & JsonOption;
  return command<Table & JsonOption>({
    ...(made as unknown as Made<Table & JsonOption, Deps>),
    options,
    run: (deps, given) => {
      const asked = given as unknown as Given<Table>;
      const found = rowsOf(deps, asked);
      if ("exitCode" in found) return found;
      const { rows, notice: more } = "rows" in found ? found : { rows: found, notice: "" };
      if ((given.options as { readonly json?: true }).json === true) return done(terminalJson(rows), more);
      if (rows.length === 0) return notice(none);
      return done(terminalTable(typeof columns === "function" ? columns(asked) : columns, rows), more);
    },
  });
}

/** A moment of JSON in a table: to the minute, in UTC. */
export const minuteOf = (instant: string | null): string => instant?.slice(0, 16).replace("T", " ") ?? "";

/** A moment in JSON. */
export function instantOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
