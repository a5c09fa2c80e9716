/** What following one queue and following another have in common: taking turns, writing each by itself, trying again. */

import type { Clock, Ids } from "../base/base.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import type { Store } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { EvaluationDeps } from "./report_rules.ts";

/** What following needs. */
export interface FollowDeps extends EvaluationDeps {
  readonly store: Store;
  readonly writer: Pick<Writer, "write">;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What came of a look at a queue. Storage that fails is thrown. */
export type Round = "idle" | "done";

/** A queue that is followed. */
export interface Line {
  /** Things that were judged or left out since the start. */
  readonly followed: number;
  /** One thing of each of the next sites with one. */
  round(): Promise<Round>;
}

/** Why things of a round failed, by what names them. */
export type Failed<K> = Map<K, unknown>;

/** How often a thing is tried before it is left out. */
const MOST_TRIES = 3;

/** Longest stretch of judging before the event loop gets its turn, in milliseconds. */
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

/** Writes for each in one transaction, each in its own savepoint: one that fails takes no other with it. */
export async function writeEach<K>(
  writer: Pick<Writer, "write">,
  writes: readonly { readonly of: K; readonly write: Parameters<Writer["write"]>[0] }[],
  failed: Failed<K>,
): Promise<void> {
  const settled = await Promise.allSettled(
    writes.map(({ write }) => writer.write(write, { lowPriority: true, isRepeatable: true })),
  );
  for (const [place, outcome] of settled.entries()) {
    const one = writes[place];
    if (outcome.status === "rejected" && one !== undefined) failed.set(one.of, outcome.reason);
  }
}

/** Tries of what failed, while it may still be tried. */
export class Tries<K> {
  readonly #tries = new Map<K, number>();
  #behind = 0;

  /** How many were judged or left out. */
  get behind(): number {
    return this.#behind;
  }

  /**
   * What becomes of the things of a round: those that failed too often are left out. Throws when storage failed, which is no fault of
   * theirs.
   */
  async answerFor(
    all: readonly K[],
    failed: ReadonlyMap<K, unknown>,
    leaveOut: (one: K, error: unknown) => Promise<void>,
  ): Promise<void> {
    let storage: unknown;
    for (const one of all) {
      const error = failed.get(one);
      if (isStorageFailure(error)) {
        storage ??= error;
        continue;
      }
      if (error !== undefined) {
        const tries = (this.#tries.get(one) ?? 0) + 1;
        this.#tries.set(one, tries);
        if (tries < MOST_TRIES) continue;
        await leaveOut(one, error);
      }
      this.#tries.delete(one);
      this.#behind++;
    }
    if (storage !== undefined) throw storage;
  }
}
