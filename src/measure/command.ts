/** The `measure` command: arguments in, a report out, an exit code back. */
import { isAbsolute, join } from "node:path";
import { type RetryPolicy, threeRetries } from "../platform/http.ts";
import { HELP, type MeasureCommand, readArguments } from "./arguments.ts";
import { reportText } from "./envelope.ts";
import { type Measured, measureCheckout } from "./measure.ts";
import { postReport } from "./post.ts";
import { drawProgress } from "./progress.ts";
import { findTools, type Machine, type Tools } from "./tools.ts";

/** Exit codes of the command. */
export const EXIT = { done: 0, usage: 2, notMeasurable: 3, refused: 4 } as const;

/** The outside of the command: what it reads from the process and writes to it. */
export interface MeasureIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly machine: Machine;
  /** A folder for temporary files. */
  readonly scratch: string;
  readonly now: () => number;
  readonly stdout: (text: string) => void | Promise<void>;
  readonly stderr: { readonly isTTY: boolean; readonly write: (text: string) => void };
  /** Ends the run early; the temporary files are removed. */
  readonly signal?: AbortSignal;
  /** How a post is tried again; three retries when absent. */
  readonly retry?: RetryPolicy;
  /** The measuring tools; looked up when absent. */
  readonly tools?: Tools;
}

/** Runs the command and answers with its exit code. Faults of this program are thrown. */
export async function measureCommand(args: readonly string[], io: MeasureIo): Promise<number> {
  const read = readArguments(args, io.env);
  if (read.kind === "help") {
    await io.stdout(HELP);
    return EXIT.done;
  }
  if (read.kind === "usage") {
    io.stderr.write(`measure: ${read.message}\nTry measure --help.\n`);
    return EXIT.usage;
  }
  const measured = await measure(read.command, io);
  if (typeof measured === "number") return measured;
  for (const line of measured.log) io.stderr.write(`${line}\n`);
  return deliver(reportText(measured.report), read.command, io);
}

async function measure(command: MeasureCommand, io: MeasureIo): Promise<Measured | number> {
  const progress = drawProgress(io.stderr, io.now);
  const { destination: _, checkout, ...rest } = command;
  try {
    const result = await measureCheckout({
      ...rest,
      checkout: fromCwd(io, checkout),
      tools: io.tools ?? (await findTools(io.machine, io.env["PATH"])),
      scratch: io.scratch,
      now: io.now,
      onStep: progress.on,
      ...(io.signal === undefined ? {} : { signal: io.signal }),
    });
    progress.clear();
    if (result.ok) return result;
    io.stderr.write(`measure: ${result.reason}${result.hint === undefined ? "" : ` ${result.hint}`}\n`);
    return result.fault === "path" ? EXIT.usage : EXIT.notMeasurable;
  } finally {
    progress.clear();
  }
}

async function deliver(text: string, command: MeasureCommand, io: MeasureIo): Promise<number> {
  const { destination } = command;
  if (destination.kind === "stdout") {
    await io.stdout(text);
    return EXIT.done;
  }
  if (destination.kind === "file") {
    await Bun.write(fromCwd(io, destination.path), text);
    io.stderr.write(`written to ${destination.path}\n`);
    return EXIT.done;
  }
  const policy = io.retry ?? threeRetries(io.now);
  const posted = await postReport(text, destination.base, destination.token, policy);
  for (const line of posted.lines) io.stderr.write(`${line}\n`);
  return posted.accepted ? EXIT.done : EXIT.refused;
}

function fromCwd(io: MeasureIo, path: string): string {
  return isAbsolute(path) ? path : join(io.cwd, path);
}
