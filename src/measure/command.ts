/** The `measure` command: arguments in, a report out, an exit code back. */

import { accessSync, constants, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type RetryPolicy, threeRetries } from "../base/http_client.ts";
import { shellWord } from "../base/text.ts";
import type { CodebaseReport } from "../reports/measures.ts";
import { HELP, type MeasureCommand, readArguments } from "./arguments.ts";
import { isMachineFault, machineFault } from "./child.ts";
import { NotMeasurableError } from "./figures.ts";
import { type Measured, measureCheckout, reportText } from "./measure.ts";
import { ingestAddress, postReport } from "./post.ts";
import { findTools, type Machine, type Tools } from "./steps.ts";
import { summaryLines } from "./summary.ts";
import { drawProgress, type ProgressSink, printable } from "./terminal.ts";

// A report that could not be posted: kept where the command was called, with the words to post it later.

/** Keeps it in the first folder that takes it, in the place of an earlier one of the same commit. Gives lines that say where. */
function keepCopy(
  report: CodebaseReport,
  text: string,
  base: string,
  folders: readonly string[],
): readonly string[] {
  const name = `codebase-report-${report.asset}-${report.repository?.commit?.slice(0, 12) ?? "unknown"}.json`;
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      rmSync(path, { force: true });
      // Anybody may write a temporary folder: what another one puts there in between is not followed.
      writeFileSync(path, text, { flag: "wx", mode: 0o600 });
      return [`The report is kept in ${printable(path)}. To post it later:`, ...command(path, base)];
    } catch (error) {
      if (!isMachineFault(error)) throw error;
    }
  }
  return ["The report could not be kept: no folder can be written."];
}

/** The header comes from standard input, so that the token is in no list of processes. */
function command(path: string, base: string): readonly string[] {
  return [
    `  printf 'Authorization: Bearer %s\\n' "$ASSET_TOKEN" |`,
    `    curl --fail-with-body ${shellWord(ingestAddress(base))} -H @- \\`,
    `    -H 'Content-Type: application/json' --data-binary ${shellWord(`@${path}`)}`,
  ];
}

/** Exit codes of the command. */
const EXIT = { done: 0, broken: 1, usage: 2, notMeasurable: 3, refused: 4 } as const;

/** The outside of the command: what it reads from the process and writes to it. */
export interface MeasureIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly machine: Machine;
  /** A folder for temporary files. */
  readonly scratch: string;
  readonly now: () => number;
  readonly stdout: (text: string) => void | Promise<void>;
  readonly stderr: ProgressSink;
  /** Ends the run early; the temporary files are removed. */
  readonly signal: AbortSignal;
  /** How a post is tried again; three retries when absent. */
  readonly retry?: RetryPolicy;
  /** The measuring tools; looked up when absent. */
  readonly tools?: Tools;
}

/** Runs the command and answers with its exit code. Faults of this program, and the end of a run that is ended early, are thrown. */
export async function measureCommand(args: readonly string[], io: MeasureIo): Promise<number> {
  const read = readArguments(args, io.env);
  if (read.kind === "help") {
    await io.stdout(HELP);
    return EXIT.done;
  }
  if (read.kind === "usage") {
    io.stderr.write(`measure: ${printable(read.message)}\nTry measure --help.\n`);
    return EXIT.usage;
  }
  const { destination } = read.command;
  const fault = destination.kind === "file" ? whyNotWritable(resolve(io.cwd, destination.path)) : undefined;
  if (destination.kind === "file" && fault !== undefined) return notWritten(io, destination.path, fault);
  const measured = await measure(read.command, io);
  if (typeof measured === "number") return measured;
  io.signal.throwIfAborted();
  return deliver(measured, read.command, io);
}

async function measure(command: MeasureCommand, io: MeasureIo): Promise<Measured | number> {
  const progress = drawProgress(io.stderr, io.now);
  const { destination: _, all: __, checkout, ...rest } = command;
  try {
    return await measureCheckout({
      ...rest,
      checkout: resolve(io.cwd, checkout),
      tools: io.tools ?? (await findTools(io.machine, io.env["PATH"])),
      scratch: io.scratch,
      now: io.now,
      onStep: progress.on,
      signal: io.signal,
    });
  } catch (error) {
    if (!(error instanceof NotMeasurableError)) throw error;
    const { message, hint, fault } = error;
    progress.clear();
    io.stderr.write(`measure: ${printable(hint === undefined ? message : `${message} ${hint}`)}\n`);
    return fault === "path" ? EXIT.usage : EXIT.notMeasurable;
  } finally {
    progress.clear();
  }
}

async function deliver(measured: Measured, command: MeasureCommand, io: MeasureIo): Promise<number> {
  const { destination, all } = command;
  const text = reportText(measured.report);
  const summarise = () => say(io, ["", ...summaryLines(measured.report, measured.account, all)]);
  if (destination.kind === "stdout") {
    // First, so that a terminal which shows both ends with what is meant to be read.
    const fault = await written(io, text);
    if (fault !== undefined) return notWritten(io, "standard output", fault);
    summarise();
    return EXIT.done;
  }
  summarise();
  if (destination.kind === "file") {
    const fault = await untilAborted(writeWhole(resolve(io.cwd, destination.path), text), io.signal);
    if (fault !== undefined) return notWritten(io, destination.path, fault);
    say(io, [`Written to ${printable(destination.path)}.`]);
    return EXIT.done;
  }
  const { base, token } = destination;
  const posted = await untilAborted(
    postReport(text, base, token, io.retry ?? threeRetries(io.now)),
    io.signal,
  );
  say(io, posted.lines);
  if (posted.accepted) return EXIT.done;
  // What lies in a container's folder for temporary files goes with the container.
  const lasting = io.env["MEASURE_IN_CONTAINER"] === "1" ? [io.cwd] : [io.cwd, io.scratch];
  say(io, keepCopy(measured.report, text, base, lasting));
  return EXIT.refused;
}

async function written(io: MeasureIo, text: string): Promise<string | undefined> {
  try {
    await untilAborted(Promise.resolve(io.stdout(text)), io.signal);
    return undefined;
  } catch (error) {
    if (!isMachineFault(error)) throw error;
    return machineFault(error);
  }
}

function notWritten(io: MeasureIo, where: string, fault: string): number {
  io.stderr.write(`measure: the report cannot be written to ${printable(where)}: ${fault}\n`);
  return EXIT.broken;
}

function say(io: MeasureIo, lines: readonly string[]): void {
  io.stderr.write(lines.map((line) => `${line}\n`).join(""));
}

/** A post that waits for an answer, or for its next try, is not waited for by somebody who wants to leave. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener("abort", leave);
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", leave));
}

// Writing a report to a file. What can be known is asked before anything is measured.

/** Why a report could not be written there, or `undefined`. */
export function whyNotWritable(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return "it is a folder";
    accessSync(found === undefined ? join(dirname(path), "/") : path, constants.W_OK);
    return undefined;
  } catch (error) {
    return machineFault(error);
  }
}

/** Writes the text, or says why it could not; nothing half-written is left. A file that is there keeps its place and its rights. */
export async function writeWhole(path: string, text: string): Promise<string | undefined> {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    try {
      await writeFile(path, text);
      return undefined;
    } catch (error) {
      if (found === undefined) rmSync(path, { force: true });
      // A pipe or a device holds nothing that could be half there.
      else if (found.isFile()) truncateSync(path);
      throw error;
    }
  } catch (error) {
    return machineFault(error);
  }
}
