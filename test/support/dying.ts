/** A process that dies before one of its steps, as a kill makes it: what it then begins never ends. */

import type { Writer } from "../../src/store/writer.ts";

export interface Dying {
  /** Makes each call of `act` a step. */
  door<A extends unknown[], R>(act: (...given: A) => Promise<R>): (...given: A) => Promise<R>;
  /** How many steps were taken, or would have been. */
  readonly steps: number;
  /** Resolves when it dies. */
  readonly death: Promise<void>;
}

/** One that dies before its step of that number, counted from 0. */
export function dyingAt(dies: number): Dying {
  let steps = 0;
  const { promise: death, resolve } = Promise.withResolvers<void>();
  return {
    door:
      (act) =>
      (...given) => {
        if (steps++ < dies) return act(...given);
        resolve();
        return new Promise(() => undefined);
      },
    get steps() {
      return steps;
    },
    death,
  };
}

/** Writes through `writer`, each write a step. */
export const writerOf = ({ door }: Dying, writer: Writer): Writer =>
  ({
    write: door((...given: Parameters<Writer["write"]>) => writer.write(...given)),
    writeOrDefer: door((...given: Parameters<Writer["writeOrDefer"]>) => writer.writeOrDefer(...given)),
    background: () => undefined,
  }) as unknown as Writer;

/** Writes `survived` times through `writer`; `died` resolves at the write after. */
export function dyingWriter(writer: Writer, survived: number) {
  const dying = dyingAt(survived);
  return { writer: writerOf(dying, writer), died: dying.death };
}
