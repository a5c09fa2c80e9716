/** A folder of its own that is removed when the scope ends: `using folder = temporaryFolder()`. */

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A place in memory, where the machine has room for it. */
export const MEMORY = roomIn("/dev/shm") > 4 * 2 ** 30 ? "/dev/shm" : tmpdir();
/** Every commit of a test would wait for its disk; what a bench measures is the disk as well. */
const TEMPORARY = Bun.env.NODE_ENV === "test" ? MEMORY : tmpdir();

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

export function temporaryFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(TEMPORARY, "tower-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
