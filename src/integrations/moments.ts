import { utcDayOf } from "../lib/utc_day.ts";

/** Moments at which something stands otherwise by itself: until the soonest of them, what was worked out once holds. */
export class Moments {
  readonly #now: number;
  #next = Number.POSITIVE_INFINITY;

  /** Milliseconds since the epoch, like every moment. */
  constructor(now: number) {
    this.#now = now;
    this.today = utcDayOf(now);
  }

  /** The UTC day that they are looked at. */
  readonly today: string;

  /** What has passed, and what is no moment, changes nothing any more. */
  add(moment: number | null | undefined): void {
    if (moment !== null && moment !== undefined && moment > this.#now && moment < this.#next)
      this.#next = moment;
  }

  /** The soonest; infinity where nothing changes by itself. */
  get next(): number {
    return this.#next;
  }
}
