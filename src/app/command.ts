/**
 * Commands: what each is made of, what it is given and what it answers. Its words are one table, of which its reader and its help are
 * made; `control.ts` lists all of them, `run_command.ts` runs one.
 */

import type { Clock } from "../base/base.ts";
import {
  type Described,
  type Given,
  helpText,
  type Options,
  readWords,
  shown,
  terminalJson,
  terminalTable,
} from "../base/command_line.ts";
import type { InstallationKeys } from "../base/keys.ts";
import { didYouMean, nearest } from "../base/text.ts";
import { formatInstant } from "../base/time.ts";
import type { Core } from "../store/core.ts";
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
}

/** What a command that only reads is given. */
export interface ReadOnlyDeps extends Pick<Core, "config" | "clock" | "ids"> {
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
interface Made<Table extends Options, Needs, Read = undefined>
  extends Omit<Described, "takes" | "options">,
    Pick<Command, "summary" | "wantsPassword" | "setsUp" | "lasts" | "fileBytes"> {
  readonly takes?: readonly string[];
  readonly options?: Table;
  /** Which of what was given names a file that the command line must read first. */
  readonly fileOf?: (given: Given<Table>) => string | undefined;
  /** What the table cannot say of what was given: a sentence on what is wrong, or what it comes to. */
  readonly judge?: (given: Given<Table>) => string | Read;
  readonly run: (
    needs: Needs,
    asked: Given<Table> & Omit<Invocation, "args"> & { readonly read: Read },
  ) => Outcome | Promise<Outcome>;
}

/** Makes commands that need this beside their words. */
export function commandWith<Needs>() {
  return <const Table extends Options = Record<never, never>, Read = undefined>(
    made: Made<Table, Needs, Read>,
  ): Command<Needs> => {
    const { fileOf, judge, run, ...described } = made;
    const syntax = { takes: made.takes ?? [], options: made.options ?? ({} as Table) };
    const read = (words: readonly string[]) => {
      const found = readWords(syntax, words);
      const judged = found.ok ? judge?.(found.given) : found.fault;
      return found.ok && typeof judged !== "string"
        ? { ...found, read: judged as Read }
        : { ok: false as const, fault: usage(made.name, String(judged)) };
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
        return found.ok ? run(needs, { ...found.given, ...rest, read: found.read }) : found.fault;
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

/** Makes a command that lists rows: a table of some of their fields for people or, with --json, the rows themselves. */
export function listCommand<Row extends object>({
  rows: rowsOf,
  columns,
  none,
  ...made
}: Pick<Made<Options, Deps>, "name" | "summary" | "about"> & {
  readonly rows: (deps: Deps) => readonly Row[];
  readonly columns: readonly (keyof Row & string)[];
  /** What is said on standard error where there is none; in JSON it is an empty array. */
  readonly none: string;
}): Command {
  return command({
    ...made,
    options: { json: { says: "one JSON document, an array, on standard output" } },
    run: (deps, { options: { json = false } }) => {
      const rows = rowsOf(deps);
      if (json) return done(terminalJson(rows));
      if (rows.length === 0) return notice(none);
      const heads = columns.map((name) => name.toUpperCase().replaceAll("_", " "));
      return done(terminalTable([heads, ...rows.map((row) => columns.map((name) => cellOf(row[name])))]));
    },
  });
}

/** A field of JSON in a table: a moment to the minute, in UTC. */
function cellOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object" && value !== null) {
    const said = Object.entries(value).filter(([, part]) => part !== null && part !== false);
    return said.map(([name, part]) => (part === true ? name : `${name} ${cellOf(part)}`)).join(", ");
  }
  const text = String(value ?? "");
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) ? text.slice(0, 16).replace("T", " ") : text;
}

/** A moment in JSON. */
export function instantOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatInstant(at);
}
