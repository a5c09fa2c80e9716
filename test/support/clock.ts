/** A clock that stands still until a test moves it: one clock drives rows, leases and schedules. */

import type { Clock } from "../../src/base/base.ts";
import { parseInstant } from "../../src/base/time.ts";

export class FakeClock implements Clock {
  #now: number;

  constructor(at = "2026-03-01T12:00:00Z") {
    this.#now = instant(at);
  }

  now(): number {
    return this.#now;
  }

  /** Moves on by milliseconds; back when negative. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Jumps to a moment. */
  at(moment: string): void {
    this.#now = instant(moment);
  }
}

/** Milliseconds since the epoch of a timestamp written in a test; a typo throws. */
export function instant(moment: string): number {
  const ms = parseInstant(moment);
  if (ms === undefined) throw new TypeError(`${moment} is no timestamp`);
  return ms;
}
