import type { Deps } from "../deps.ts";

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

export function done(stdout: string, stderr = ""): Outcome {
  return { exitCode: 0, stdout, stderr };
}

export function refused(stderr: string): Outcome {
  return { exitCode: 1, stdout: "", stderr };
}

export function usage(command: { readonly help: string }, fault: string): Outcome {
  return { exitCode: 2, stdout: "", stderr: `${fault}\n\n${command.help}` };
}
