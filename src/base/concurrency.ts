/** Work that waits its turn: so much at once, in the order it came, a slice of time at a time, or once for all. */

/** Work that is heavy for a moment: so much of it at once, and each piece in a turn of the event loop of its own. */

import { setTimeout as wait } from "node:timers/promises";
import { logOf } from "./log.ts";

export class Semaphore {
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

/**
 * Does `work` for every item, at most so many at once. An item is taken when its turn comes, so that memory does not grow with their
 * number. After the first that throws none is begun any more, and it is thrown once those under way are over.
 */
export async function mapConcurrent<T>(items: Iterable<T>, most: number, work: (item: T) => Promise<void>) {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const hand = async () => {
    try {
      while (failures.length === 0) {
        const next = iterator.next();
        if (next.done === true) return;
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: most }, hand));
  iterator.return?.();
  if (failures.length > 0) throw failures[0];
}

/** Runs steps of the same name one after another, whatever becomes of each; steps of different names know nothing of each other. */
export function inTurn(): <T>(name: string, step: () => Promise<T>) => Promise<T> {
  const latest = new Map<string, Promise<unknown>>();
  return (name, step) => {
    const mine = (latest.get(name) ?? Promise.resolve()).then(step, step);
    latest.set(name, mine);
    const leave = () => {
      if (latest.get(name) === mine) latest.delete(name);
    };
    mine.then(leave, leave);
    return mine;
  };
}

/**
 * Short pieces of synchronous work that come in crowds: as many in one turn of the event loop as fit into a slice of time, the rest in
 * the turns after it, in the order they came. One at a time they would also reach the writer one at a time, and share no commit.
 */
export class TimeSlicer {
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

/** Longest stretch of work before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 2;

/** Stretches of work between which the event loop gets its turn. */
export class Slices {
  #started = performance.now();

  /** Lets the event loop have its turn where this one has taken its share. */
  async next(): Promise<void> {
    if (performance.now() - this.#started <= SLICE_MS) return;
    await Bun.sleep(0);
    this.#started = performance.now();
  }
}

/**
 * A part of the program that is loaded when it is first needed, and then kept. A load that failed, for want of a file descriptor say, is
 * tried again by whoever needs it next.
 */
export function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** One step of a stop. */
interface StopStep {
  readonly name: string;
  /** How long it may take, in milliseconds. */
  readonly withinMs: number;
  readonly run: () => unknown;
}

/** Takes the steps one after the other. One that fails or takes too long is told and left behind: a stop always ends. */
export async function stopInSteps(steps: readonly StopStep[]): Promise<void> {
  for (const { name, withinMs, run } of steps) {
    const over = new AbortController();
    // It keeps the process alive: a step that hangs may be all that is left, and the others are still to be taken.
    const late = wait(withinMs, "late", { signal: over.signal }).catch(() => undefined);
    try {
      const ended = await Promise.race([(async () => void (await run()))(), late]);
      if (ended === "late")
        logOf("service").error("a step of the stop was given up", { step: name, within_ms: withinMs });
    } catch (error) {
      logOf("service").error("a step of the stop failed", { step: name, reason: String(error) });
    } finally {
      over.abort();
    }
  }
}
