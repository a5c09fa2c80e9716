/**
 * An ingest that is busy, then down, then itself: it answers 429 and 503, each with a second to wait, and passes on what comes after.
 * Whoever does not wait is refused for good, so that a sender which arrives has obeyed.
 */

import { readdirSync, readFileSync } from "node:fs";

const WAIT_SECONDS = 1;
/** What a timer may be early by, in milliseconds. */
const EARLY_MS = 20;

export interface HesitantIngest {
  readonly url: string;
  /** Every command line of the machine, as it was while requests came. */
  readonly commandLines: string;
  stop(): Promise<void>;
}

/** Answers `refusals`, one a request, before it passes on to `ingest`. */
export function hesitantIngest(ingest: string, refusals: readonly number[] = [429, 503]): HesitantIngest {
  const left = [...refusals];
  let notBefore = 0;
  let seen = "";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      seen += commandLines();
      if (performance.now() + EARLY_MS < notBefore) return problem(400, "It came too early.");
      const status = left.shift();
      if (status !== undefined) {
        notBefore = performance.now() + WAIT_SECONDS * 1_000;
        return problem(status, "Not now.", { "retry-after": String(WAIT_SECONDS) });
      }
      const { pathname } = new URL(request.url);
      const { host, ...headers } = Object.fromEntries(request.headers);
      return fetch(`${ingest}${pathname}`, { method: request.method, headers, body: await request.text() });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get commandLines() {
      return seen;
    },
    stop: () => server.stop(true),
  };
}

function problem(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(
    { status, detail },
    { status, headers: { ...headers, "content-type": "application/problem+json" } },
  );
}

function commandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // It ended between the look and the reading.
        return "";
      }
    })
    .join("\n");
}
