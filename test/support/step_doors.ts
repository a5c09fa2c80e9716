/** The doors to the disk and to the database, before each use of which `step` is asked; it may throw, or end the process. */

import { type Files, systemFiles } from "../../src/base/files.ts";
import type { Writer } from "../../src/store/writer.ts";

export function stepDoors(
  writer: Pick<Writer, "write">,
  step: () => void,
): { readonly files: Files; readonly writer: Pick<Writer, "write"> } {
  const door =
    <A extends unknown[], R>(act: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      step();
      return act(...given);
    };
  const files: Files = {
    changedAt: door(systemFiles.changedAt),
    read: door(systemFiles.read),
    writeNew: door(systemFiles.writeNew),
    rename: door(systemFiles.rename),
    syncFolder: door(systemFiles.syncFolder),
    remove: door(systemFiles.remove),
  };
  const write: Writer["write"] = async (job) => {
    step();
    return writer.write(job);
  };
  return { files, writer: { write } };
}
