import type { Writer } from "../db/mod.ts";
import type { Deps } from "../deps.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import type { InstallationKeys } from "../platform/keys.ts";

/** What a command did: text for the terminal, and the exit code (0 done, 1 refused or failed, 2 wrong usage). */
export interface Outcome {
  readonly exitCode: 0 | 1 | 2;
  /** For standard output: results that scripts read. */
  readonly stdout: string;
  /** For standard error: notices for people. */
  readonly stderr: string;
}

/** What the command line has gathered before a command runs; it travels over the control socket as JSON. */
export interface Invocation {
  readonly args: readonly string[];
  /** Where the command was called: relative paths are meant from there, not from where the service runs. */
  readonly cwd?: string | undefined;
  /** A password, where the command asks for one. */
  readonly password?: string | undefined;
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

/** A command that works on the data: in the running service over its control socket, else in this process. */
export interface Command {
  /** Words of the command, for example `asset add`. */
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** Whether the command line must read a new password first. */
  readonly wantsPassword: boolean;
  readonly run: (deps: Deps, invocation: Invocation) => Outcome | Promise<Outcome>;
}

/** A command that reads the database file, also a damaged one, and one in a folder that cannot be written. */
export interface ReadOnlyCommand extends Command {
  readonly onlyReads: true;
  readonly run: (deps: ReadOnlyDeps, invocation: Invocation) => Outcome | Promise<Outcome>;
}

export function onlyReads(command: Command): command is ReadOnlyCommand {
  return "onlyReads" in command;
}

export function done(stdout: string, stderr = ""): Outcome {
  return { exitCode: 0, stdout, stderr };
}

export function refused(stderr: string): Outcome {
  return { exitCode: 1, stdout: "", stderr };
}

export function usage(command: { readonly help: string }, fault: string): Outcome {
  return { exitCode: 2, stdout: "", stderr: `${fault}\n\n${command.help}` };
}
