/** Running another program with a given environment, limits of time, memory and output. */
import { type Limits, limited, NOT_STARTED } from "./limits.ts";
import { isMachineFault } from "./machine_fault.ts";

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
  readonly input?: Uint8Array;
  readonly signal?: AbortSignal;
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
  call.signal?.throwIfAborted();
  let child: Bun.Subprocess<Uint8Array | "ignore", "pipe", "pipe">;
  try {
    child = Bun.spawn(limited(call.command, call.limits), {
      cwd: call.cwd,
      env: { ...call.env },
      stdin: call.input ?? "ignore",
      stdout: "pipe",
      stderr: "pipe",
      killSignal: "SIGKILL",
      ...(call.signal === undefined ? {} : { signal: call.signal }),
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
    call.signal?.throwIfAborted();
  }
}

/** Reads to the end, so that the program never waits for a reader, and keeps the first `max` bytes. */
async function gather(
  stream: ReadableStream<Uint8Array>,
  max: number,
  onCut: () => void,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; cut: boolean }> {
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
