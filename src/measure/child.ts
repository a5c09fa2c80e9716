/** Running another program with a given environment, limits of time, memory and output. */

import { existsSync } from "node:fs";

// Limits that the kernel holds a child process to. They are set by the shell, which then becomes the program: no
// package is needed for it, and they still hold when this process is killed. A kernel that does not know one of them
// goes without it. A terminal sends its signals to children as well: they do not hear them, so that a run that is
// interrupted is never taken for a tool that failed. This process ends them.

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
const NOT_STARTED: readonly number[] = [126, 127];

/** The command line that runs a command within limits. */
export function limited(command: readonly string[], limits: Limits): string[] {
  if (!existsSync(SHELL)) return [...command];
  const { cpuSeconds, memoryMb, fileMb } = limits;
  // Memory counts in KiB, files in blocks of 512 bytes.
  const values = [cpuSeconds, memoryMb * 1024, fileMb * 2048].map(String);
  return [SHELL, "-c", SET_LIMITS, "sh", ...values, ...command];
}

// What the machine answers when it cannot do something, in words.

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is larger than allowed here",
  ENOENT: "its folder does not exist",
  ENOTDIR: "it would lie in a file",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EPIPE: "nobody reads it any more",
  EIO: "the disk reports an error",
  ENOMEM: "there is not enough memory",
  EAGAIN: "no further process can be started",
};

interface MachineError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

/** A full disk, a folder that cannot be written: nothing in this program would mend it. */
export function isMachineFault(error: unknown): error is MachineError {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** The reason in words. Throws what is a fault of this program. */
export function machineFault(error: unknown): string {
  if (!isMachineFault(error)) throw error;
  return WORDS[error.code] ?? `the machine answers ${error.code}`;
}

/** One line of where and why; what has no path of its own lies in the temporary folder. */
export function machineLine(error: MachineError, scratch: string): string {
  const place = error.path ?? `the temporary folder ${scratch}`;
  const where = error.syscall.includes("spawn") ? "no program can be started" : `${place} cannot be used`;
  return `${where}: ${WORDS[error.code] ?? error.message}`;
}

/** One program call. */
export interface ChildCall {
  /** The program's path and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly timeoutMs: number;
  /** Most bytes of standard output. */
  readonly maxBytes: number;
  /** What the program reads; nothing when absent. */
  readonly input?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export type ChildResult =
  | {
      readonly ok: true;
      readonly code: number;
      readonly stdout: Uint8Array<ArrayBuffer>;
      readonly stderr: string;
    }
  /** `killed`: by a signal, as a limit of the kernel or a fault of the program's own ends it. */
  | { readonly ok: false; readonly reason: "missing" | "timeout" | "too-large" | "killed" };

const MAX_STDERR = 64 * 1024;

/** Runs a program to its end and gathers what it wrote. */
export async function runChild(call: ChildCall): Promise<ChildResult> {
  call.signal.throwIfAborted();
  let child: Bun.Subprocess<Uint8Array | "ignore", "pipe", "pipe">;
  try {
    child = Bun.spawn(limited(call.command, call.limits), {
      cwd: call.cwd,
      env: { ...call.env },
      stdin: call.input ?? "ignore",
      stderr: "pipe",
      killSignal: "SIGKILL",
      signal: call.signal,
    });
  } catch (error) {
    // No memory, or no process more: the program is not to blame.
    if (isMachineFault(error) && error.code !== "ENOENT") throw error;
    return { ok: false, reason: "missing" };
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, call.timeoutMs);
  try {
    const [stdout, stderr] = await Promise.all([
      gather(child.stdout, call.maxBytes, () => child.kill("SIGKILL")),
      gather(child.stderr, MAX_STDERR, () => undefined),
    ]);
    const code = await child.exited;
    if (late) return { ok: false, reason: "timeout" };
    if (stdout.cut) return { ok: false, reason: "too-large" };
    if (child.signalCode !== null) return { ok: false, reason: "killed" };
    if (NOT_STARTED.includes(code)) return { ok: false, reason: "missing" };
    return { ok: true, code, stdout: stdout.bytes, stderr: new TextDecoder().decode(stderr.bytes) };
  } finally {
    clearTimeout(timer);
    call.signal.throwIfAborted();
  }
}

/** Reads to the end, so that the program never waits for a reader, and keeps the first `max` bytes. */
async function gather(stream: ReadableStream<Uint8Array>, max: number, onCut: () => void) {
  const parts: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  for await (const part of stream) {
    if (cut) continue;
    cut = size + part.byteLength > max;
    parts.push(cut ? part.subarray(0, max - size) : part);
    size += part.byteLength;
    if (cut) onCut();
  }
  return { bytes: Buffer.concat(parts), cut };
}
