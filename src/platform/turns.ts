/** Work that is heavy for a moment: so much of it at once, and each piece in a turn of the event loop of its own. */
export class Turns {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does the work when it is its turn, with other requests served in between. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    await this.enter();
    try {
      await new Promise((resolve) => setImmediate(resolve));
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Waits for a turn, which lasts until it is left; false where none comes in time. */
  async enter(longestMs?: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    const turn = Promise.withResolvers<boolean>();
    const begin = () => turn.resolve(true);
    this.#waiting.push(begin);
    if (longestMs === undefined) return turn.promise;
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((one) => one !== begin);
      turn.resolve(false);
    }, longestMs);
    return turn.promise.finally(() => clearTimeout(timer));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
