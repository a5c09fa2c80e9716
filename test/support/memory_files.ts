/** Files in memory, for what a test keeps in a data folder without a word about disks; their times are the clock's. */

import type { Clock } from "../../src/base/base.ts";
import type { Files } from "../../src/base/files.ts";

export function memoryFiles(clock: Clock, held = new Map<string, Uint8Array>()): Files {
  const facts = new Map<string, { inode: number; at: number }>();
  let inodes = 0;
  const missing = (path: string) => Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
  const note = (path: string) => facts.set(path, { inode: ++inodes, at: clock.now() });
  for (const path of held.keys()) note(path);
  return {
    facts: async (path) => {
      const bytes = held.get(path);
      const { inode = 0, at = 0 } = facts.get(path) ?? {};
      return bytes === undefined
        ? undefined
        : { size: bytes.byteLength, inode, modifiedAt: at, changedAt: at };
    },
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
