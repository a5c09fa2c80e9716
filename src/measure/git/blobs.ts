/** Reading many blobs with one `git cat-file --batch`. */

import { limited } from "../limits.ts";
import { partialClone } from "../refusal.ts";
import { GIT_LIMITS, GitLimitError, gitCommand, type Repository } from "./git.ts";

const NEWLINE = 10;
const TIMEOUT_MS = 600_000;

/** Longest line before a content: an object's name, kind and size. */
const MAX_HEADER = 256;

/**
 * Yields the content of each blob, in the order asked. The bytes are valid until the next step.
 * Throws NotMeasurableError when an object is missing or git went over a limit.
 */
export async function* readBlobs(
  repository: Repository,
  oids: readonly string[],
): AsyncGenerator<Uint8Array> {
  if (oids.length === 0) return;
  const { command, cwd, env } = gitCommand(repository, ["cat-file", "--batch", "--buffer"]);
  const child = Bun.spawn(limited(command, GIT_LIMITS), {
    cwd,
    env: { ...env },
    stdin: new TextEncoder().encode(`${oids.join("\n")}\n`),
    stdout: "pipe",
    stderr: "ignore",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    ...(repository.signal === undefined ? {} : { signal: repository.signal }),
  });
  try {
    yield* parseBatch(child.stdout, oids.length);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    repository.signal?.throwIfAborted();
  }
}

/** Splits the answer `<oid> blob <size>\n<bytes>\n` into its contents; `count` of them must come. */
async function* parseBatch(stream: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let buffer: Uint8Array = new Uint8Array(0);
  let found = 0;
  for await (const part of stream) {
    buffer = buffer.length === 0 ? part : Buffer.concat([buffer, part]);
    let at = 0;
    for (;;) {
      const end = buffer.indexOf(NEWLINE, at);
      if (end < 0 && buffer.length - at > MAX_HEADER) throw partialClone();
      if (end < 0) break;
      const header = new TextDecoder("latin1").decode(buffer.subarray(at, end));
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) throw partialClone();
      const stop = end + 1 + Number(size);
      if (buffer.length < stop + 1) break;
      yield buffer.subarray(end + 1, stop);
      found++;
      at = stop + 1;
    }
    buffer = buffer.subarray(at);
  }
  if (found !== count) throw new GitLimitError("reading files", "memory or time");
}
