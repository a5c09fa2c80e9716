import { closeSync, openSync } from "node:fs";
import { isatty } from "node:tty";

/** Whether this process reads from a terminal or writes to one. Under `nohup` it does neither. */
export const usesTerminal = (): boolean => [0, 1, 2].some((file) => isatty(file));

/** Whether there is a terminal that this process belongs to; a closed one belongs to nobody. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
