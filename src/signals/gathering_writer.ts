/**
 * Answers that come one by one are stored together: each commit waits for the disk, and every report that is sent meanwhile waits with
 * it. What is gathered is not stored yet: it is as if it had not been asked.
 */
import type { Writer } from "../db/mod.ts";

/** Writes that are gathered at most. */
const MOST = 64;

export class GatheringWriter {
  readonly #writer: Pick<Writer, "write">;
  readonly #gatherMs: number;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `gatherMs`: how long the first of them waits for others, in milliseconds; 0 for not at all. */
  constructor(writer: Pick<Writer, "write">, gatherMs: number) {
    this.#writer = writer;
    this.#gatherMs = gatherMs;
  }

  readonly write: Writer["write"] = (job, options) => {
    if (this.#gatherMs === 0) return this.#writer.write(job, options);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => void this.#writer.write(job, options).then(resolve, reject));
      if (this.#waiting.length >= MOST) this.#pass();
      else this.#timer ??= setTimeout(() => this.#pass(), this.#gatherMs);
    });
  };

  /** All of them in one turn of the event loop, so that they share commits. */
  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const pass of waiting) pass();
  }
}
