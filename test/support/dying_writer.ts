/** A writer under a process that is killed: after so many writes nothing is written and nothing settles any more. */

import type { Writer } from "../../src/store/writer.ts";

/** Writes `survived` times through `writer`; `died` resolves at the write after. */
export function dyingWriter(
  writer: Writer,
  survived: number,
): { readonly writer: Pick<Writer, "write">; readonly died: Promise<void> } {
  let left = survived;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  return {
    died,
    writer: {
      write: (job) => {
        if (left-- > 0) return writer.write(job);
        resolve();
        return new Promise(() => undefined);
      },
    },
  };
}
