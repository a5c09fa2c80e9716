/**
 * Limits that the kernel holds a child process to. They are set by the shell, which then becomes the program: no package is
 * needed for it, and they still hold when this process is killed. A kernel that does not know one of them goes without it.
 * A terminal sends its signals to children as well: they do not hear them, so that a run that is interrupted is never taken for a
 * tool that failed. This process ends them.
 */
import { existsSync } from "node:fs";

export interface Limits {
  /** Memory that the program may write to; read-only maps of files do not count. */
  readonly memoryMb: number;
  readonly cpuSeconds: number;
  /** Largest file that the program may write. */
  readonly fileMb: number;
}

const SHELL = "/bin/sh";

/** The command and the limits are arguments of this text, never part of it. */
const SET_LIMITS = `trap '' HUP INT QUIT TERM
ulimit -c 0 2>/dev/null
ulimit -t "$1" 2>/dev/null
ulimit -d "$2" 2>/dev/null
ulimit -f "$3" 2>/dev/null
shift 3
exec "$@"`;

/** Codes with which the shell says that the program cannot be started. */
export const NOT_STARTED: readonly number[] = [126, 127];

/** The command line that runs a command within limits. */
export function limited(command: readonly string[], limits: Limits): string[] {
  if (!existsSync(SHELL)) return [...command];
  const { cpuSeconds, memoryMb, fileMb } = limits;
  // Memory counts in KiB, files in blocks of 512 bytes.
  const values = [cpuSeconds, memoryMb * 1024, fileMb * 2048].map(String);
  return [SHELL, "-c", SET_LIMITS, "sh", ...values, ...command];
}
