/** The command as a process: signals end it early with its temporary files removed, and a fault of the machine is one line. */

import process from "node:process";
import { isMachineFault, machineLine } from "./child.ts";
import { measureCommand, processIo } from "./command.ts";
import { printable } from "./step_unused.ts";

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
