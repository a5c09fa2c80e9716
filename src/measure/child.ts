/** Running another program with a given environment, a time limit and an output limit. Never through a shell. */

/** One program call. */
export interface ChildCall {
  /** The program's path and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Most bytes of standard output. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export type ChildResult =
  | {
      readonly ok: true;
      readonly code: number;
      readonly stdout: Uint8Array<ArrayBuffer>;
      readonly stderr: string;
    }
  | { readonly ok: false; readonly reason: "missing" | "timeout" | "too-large" };

const MAX_STDERR = 64 * 1024;

/** Runs a program to its end and gathers what it wrote. */
export async function runChild(call: ChildCall): Promise<ChildResult> {
  let child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  try {
    child = Bun.spawn([...call.command], {
      cwd: call.cwd,
      env: { ...call.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
  } catch {
    return { ok: false, reason: "missing" };
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, call.timeoutMs);
  try {
    const [stdout, stderr] = await Promise.all([
      gather(child.stdout, call.maxBytes),
      gather(child.stderr, MAX_STDERR),
    ]);
    if (stdout.cut) child.kill("SIGKILL");
    const code = await child.exited;
    if (late) return { ok: false, reason: "timeout" };
    if (stdout.cut) return { ok: false, reason: "too-large" };
    return { ok: true, code, stdout: stdout.bytes, stderr: new TextDecoder().decode(stderr.bytes) };
  } finally {
    clearTimeout(timer);
    call.signal?.throwIfAborted();
  }
}

async function gather(
  stream: ReadableStream<Uint8Array>,
  max: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; cut: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    if (size + part.byteLength > max) {
      parts.push(part.subarray(0, max - size));
      return { bytes: Buffer.concat(parts), cut: true };
    }
    parts.push(part);
    size += part.byteLength;
  }
  return { bytes: Buffer.concat(parts), cut: false };
}
