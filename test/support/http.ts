import type { Clock } from "../../src/platform/clock.ts";
import { type HttpDoor, httpDoor, twoRetries, type Waiting } from "../../src/platform/http_door.ts";

/** Pauses that pass at once, and draw nothing. */
export const PROMPT: Waiting = { random: () => 0.5, sleep: () => Promise.resolve() };

/** The service's own door to the outside, whose pauses pass at once. */
export function promptHttp(clock: Clock): HttpDoor {
  return httpDoor(twoRetries(() => clock.now(), PROMPT));
}
