/**
 * Short pieces of synchronous work that come in crowds: as many in one turn of the event loop as fit into a slice of time, the rest in
 * the turns after it, in the order they came. One at a time they would also reach the writer one at a time, and share no commit.
 */
export class Slices {
  readonly #sliceMs: number;
  readonly #elapsed: () => number;
  readonly #waiting: (() => void)[] = [];
  /** Spent in this turn of the event loop, in milliseconds. */
  #spentMs = 0;
  #isTurnAwaited = false;

  /** `elapsed` tells milliseconds from any beginning. */
  constructor(sliceMs: number, elapsed: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs;
    this.#elapsed = elapsed;
  }

  /** Does the work: now where the slice has room and nobody waits, else in its turn. */
  async run<T>(work: () => T): Promise<T> {
    if (this.#spentMs >= this.#sliceMs || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const startedAt = this.#elapsed();
    try {
      return work();
    } finally {
      this.#spentMs += this.#elapsed() - startedAt;
      this.#goOn();
    }
  }

  #goOn(): void {
    if (this.#spentMs < this.#sliceMs) this.#waiting.shift()?.();
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    setImmediate(() => {
      this.#isTurnAwaited = false;
      this.#spentMs = 0;
      this.#waiting.shift()?.();
    });
  }
}
