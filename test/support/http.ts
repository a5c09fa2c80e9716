/** Pauses that pass at once, and draw nothing. */

import type { Clock } from "../../src/base/base.ts";
import { type HttpClient, httpClient, twoRetries, type Waiting } from "../../src/base/http_client.ts";

export const PROMPT: Waiting = { random: () => 0.5, sleep: () => Promise.resolve() };

/**
 * The service's own door to the outside, whose pauses pass at once. `timeoutMs` is a shorter time limit for all that is asked, where
 * something does not answer on purpose.
 */
export function promptHttp(clock: Clock, timeoutMs?: number): HttpClient {
  const door = httpClient(twoRetries(() => clock.now(), PROMPT));
  return timeoutMs === undefined ? door : { request: (request) => door.request({ ...request, timeoutMs }) };
}
