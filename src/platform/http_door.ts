/** How a request that came to nothing is sent again: the one policy there is, for everything that asks another server. */
import { retryAfterMs } from "../lib/retry_after.ts";
import { type HttpRequest, type HttpResult, httpRequest, isRepeatable } from "./http.ts";

/** How often and how long a request is tried again. Times are milliseconds. */
export interface RetryPolicy {
  /** Tries after the first one. */
  readonly retries: number;
  /** How many of them may follow a time limit that was reached: each costs that time once more. */
  readonly afterTimeouts: number;
  /** Longest pause before the first retry; it doubles each time. The pause itself is drawn between 0 and that. */
  readonly pauseMs: number;
  /** Longest pause at all; a server that asks for more gets no retry. */
  readonly maxPauseMs: number;
  readonly now: () => number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Waits, at most until the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Everything that goes out of the service by HTTP goes through one of these. */
export interface HttpDoor {
  /** Sends a request, and sends it again within the door's policy. `requests` of the result counts every one. Throws what its sink throws, and nothing else. */
  request(request: HttpRequest): Promise<HttpResult>;
}

/** What a policy takes from the machine. */
export type Waiting = Pick<RetryPolicy, "random" | "sleep">;

export const systemWaiting: Waiting = {
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done);
    }),
};

/** For a command that somebody waits for: three retries within 1, 2 and 4 seconds, or after what Retry-After asks, up to a minute. */
export function threeRetries(now: () => number, waiting: Waiting = systemWaiting): RetryPolicy {
  return { retries: 3, afterTimeouts: 0, pauseMs: 1_000, maxPauseMs: 60_000, now, ...waiting };
}

/** For questions to providers, which are asked again soon in any case: two retries within 1 and 2 seconds, one after a time limit. */
export function twoRetries(now: () => number, waiting: Waiting = systemWaiting): RetryPolicy {
  return { retries: 2, afterTimeouts: 1, pauseMs: 1_000, maxPauseMs: 10_000, now, ...waiting };
}

/** A door to the outside with this policy. */
export function httpDoor(policy: RetryPolicy): HttpDoor {
  return { request: (request) => requestWithin(policy, request) };
}

async function requestWithin(policy: RetryPolicy, request: HttpRequest): Promise<HttpResult> {
  let timeouts = 0;
  for (let tried = 0; ; tried++) {
    const result = await httpRequest(request, tried);
    if (tried >= Math.min(policy.retries, request.retries ?? policy.retries) || !mayRepeat(request, result))
      return result;
    if (!result.ok && result.failure === "timeout" && ++timeouts > policy.afterTimeouts) return result;
    const asked = result.ok ? retryAfterMs(result.headers.get("retry-after"), policy.now()) : undefined;
    const longest = Math.min(policy.pauseMs * 2 ** tried, policy.maxPauseMs);
    const pause = asked ?? policy.random() * longest;
    if (pause > policy.maxPauseMs) return result;
    // Once it has aborted, the next turn sends nothing and says so.
    await policy.sleep(pause, request.signal);
  }
}

/** A 429 is never among them: a server that is asked too often is not asked once more. */
function mayRepeat(request: HttpRequest, result: HttpResult): boolean {
  if (!result.ok && (result.failure === "refused" || result.failure === "dns")) return true;
  if (!isRepeatable(request)) return false;
  return result.ok ? result.status >= 500 : REPEATED.has(result.failure);
}

const REPEATED: ReadonlySet<string> = new Set(["reset", "connection", "timeout", "cut", "encoding"]);
