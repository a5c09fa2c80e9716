/** A folder of its own that is removed when the scope ends: `using folder = temporaryFolder()`. */

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where the folders lie: in memory where the machine has room for them, since every commit of a test waits for its disk. */
export const TEMPORARY = roomIn("/dev/shm") > 4 * 2 ** 30 ? "/dev/shm" : tmpdir();

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
