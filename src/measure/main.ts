/** The entry of the measuring image. */
import process from "node:process";
import { measureCommand, processIo } from "./command.ts";

const INTERRUPTED = 130;

async function main(): Promise<void> {
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => abort.abort());
  try {
    process.exitCode = await measureCommand(process.argv.slice(2), processIo(abort.signal));
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    process.exitCode = INTERRUPTED;
  }
}

if (import.meta.main) await main();
