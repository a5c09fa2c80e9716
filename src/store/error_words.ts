import { PlainError } from "../base/text.ts";
import { isStorageFailure, storageFault } from "./fault.ts";

const OWN_FRAME = /(?:^|[\\/])([\w-]+\.[jt]sx?:\d+)/;

/**
 * What an error of a job that asks others may be called where it is kept: its message may hold what a provider said, or an address
 * with a key in it, so its name and the place it was thrown at stand for it, but where it is in words of our own.
 */
export function errorWords(error: unknown): string {
  if (isStorageFailure(error)) return storageFault(error);
  if (error instanceof PlainError) return error.message;
  if (!(error instanceof Error)) return "it threw something that is no error";
  const frame = error.stack
    ?.split("\n")
    .slice(1)
    .map((line) => OWN_FRAME.exec(line)?.[1])
    .find(Boolean);
  return frame === undefined ? error.name : `${error.name} at ${frame}`;
}
