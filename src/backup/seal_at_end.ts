import { readSync } from "node:fs";
import { LONGEST_SEAL, readSeal, type Seal } from "./seal.ts";

/** The seal that an open file ends with; undefined where it ends with none that is whole. */
export function sealAtEnd(file: number, size: number): Seal | undefined {
  const tail = new Uint8Array(Math.min(LONGEST_SEAL, size));
  readSync(file, tail, 0, tail.length, size - tail.length);
  return readSeal(tail, size);
}
