import { writeSync } from "node:fs";

/** Writes all of `bytes` at `position` of an open file: one call may take only a part, as where the disk is nearly full. */
export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}
