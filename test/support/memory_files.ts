/** Files in memory, for what a test keeps in a data folder without a word about disks; their times are the clock's. */

import type { Clock } from "../../src/base/base.ts";
import type { Files } from "../../src/base/files.ts";

export function memoryFiles(clock: Clock, held = new Map<string, Uint8Array>()): Files {
  const changed = new Map<string, number>();
  const missing = (path: string) => Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
  const note = (path: string) => changed.set(path, clock.now());
  for (const path of held.keys()) note(path);
  return {
    changedAt: async (path) => (held.has(path) ? (changed.get(path) ?? 0) : undefined),
    read: async (path, most) => {
      const bytes = held.get(path);
      if (bytes === undefined) throw missing(path);
      return bytes.slice(0, most);
    },
    writeNew: async (path, bytes) => {
      if (held.has(path)) throw Object.assign(new Error(`${path} is there`), { code: "EEXIST" });
      held.set(path, bytes.slice());
      note(path);
    },
    rename: async (from, to) => {
      const bytes = held.get(from);
      if (bytes === undefined) throw missing(from);
      held.delete(from);
      held.set(to, bytes);
      note(to);
    },
    syncFolder: async () => undefined,
    remove: async (path) => {
      held.delete(path);
    },
  };
}
