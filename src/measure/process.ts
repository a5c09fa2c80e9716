/** The command as a process: signals end it early with its temporary files removed, and a fault of the machine is one line. */

import { tmpdir } from "node:os";
import process from "node:process";
import { isMachineFault, machineLine } from "./child.ts";
import { type MeasureIo, measureCommand } from "./command.ts";
import { printable } from "./terminal.ts";

const INTERRUPTED = 130;
const BROKEN = 1;

/** Runs the command with this process's environment and streams. Answers with its exit code. */
export async function measureProcess(args: readonly string[]): Promise<number> {
  const abort = new AbortController();
  // Asked again, it goes on with what the first signal began: leaving at once would leave the files.
  const end = () => abort.abort();
  for (const signal of SIGNALS) process.on(signal, end);
  // Standard output answers the write itself; standard error has nobody left to tell.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const io = processIo(abort.signal);
  try {
    return await measureCommand(args, io);
  } catch (error) {
    // At once: a post that is under way, or waits for its next try, would keep the process.
    if (abort.signal.aborted) return process.exit(await say("interrupted", INTERRUPTED));
    if (isMachineFault(error)) return say(printable(machineLine(error, io.scratch)), BROKEN);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function say(line: string, code: number): Promise<number> {
  return new Promise((resolve) => {
    process.stderr.write(`measure: ${line}\n`, () => resolve(code));
  });
}

// The command's outside, made from this process: the one place of the measuring command that reads it.

/** The folder it was called in; another process may have removed that one. */
export function cwd(): string {
  try {
    return process.cwd();
  } catch {
    return tmpdir();
  }
}

/** Environment, folders, streams and clock of this process; `signal` ends a run early. */
function processIo(signal: AbortSignal): MeasureIo {
  return {
    env: process.env,
    cwd: cwd(),
    machine: { platform: process.platform, arch: process.arch },
    scratch: tmpdir(),
    now: Date.now,
    stdout: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    stderr: { isTTY: process.stderr.isTTY === true, write: (text) => void process.stderr.write(text) },
    signal,
  };
}
