/** The command as a process: signals end it early with its temporary files removed, and a fault of the machine is one line. */
import process from "node:process";
import { measureCommand } from "./command.ts";
import { processIo } from "./process_io.ts";

const INTERRUPTED = 130;
const BROKEN = 1;

/** Runs the command with this process's environment and streams. Answers with its exit code. */
export async function measureProcess(args: readonly string[]): Promise<number> {
  const abort = new AbortController();
  // Asked again, it goes on with what the first signal began: leaving at once would leave the files.
  const end = () => abort.abort();
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await measureCommand(args, processIo(abort.signal));
  } catch (error) {
    if (abort.signal.aborted) return say("interrupted", INTERRUPTED);
    if (isMachineFault(error)) return say(error.message, BROKEN);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function say(line: string, code: number): number {
  process.stderr.write(`measure: ${line}\n`);
  return code;
}

/** A full disk, a folder that cannot be written: nothing in this program would mend it. */
function isMachineFault(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error && "code" in error;
}
