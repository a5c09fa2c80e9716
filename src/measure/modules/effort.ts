/**
 * What the search for uses may cost, counted in steps and not in time: the same commit gets the same answer on every machine. The largest
 * trees measured take a third of a million; a small one can be written to take billions.
 */

/** Looks at a path, a mapping or a pattern. */
const MAX_STEPS = 100_000_000;

/** Facts about the tree that are held at once: edges, names that are taken, mappings that are extended. */
const MAX_HELD = 3_000_000;

export class Effort {
  #steps: number;
  #held: number;

  constructor(steps = MAX_STEPS, held = MAX_HELD) {
    this.#steps = steps;
    this.#held = held;
  }

  /** Throws TooMuchError when all together took more. */
  take(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooMuchError();
  }

  /** The same for what stays in memory. */
  hold(facts: number): void {
    this.#held -= facts;
    if (this.#held < 0) throw new TooMuchError();
  }
}

export class TooMuchError extends Error {
  override readonly name = "TooMuchError";
  override readonly message = "The files name each other in too many ways to follow them all.";
}
