/** The door to the machine under the service: room on its disks, open files, and which process holds a lock on a file. */

import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { codeOf } from "./text.ts";

/** Room on the disk of a path, in bytes. */
export interface Room {
  /** What this process may still fill. */
  readonly free: number;
  readonly total: number;
}

/** A process that holds a lock. */
export interface Holder {
  readonly pid: number;
  /** Its name, as the system shows it; "" where it cannot be read. */
  readonly name: string;
}

/** Looks at the machine. What the system does not tell is undefined. */
export interface Machine {
  room(path: string): Promise<Room | undefined>;
  /** File descriptors this process has open; its limit, when not one is left to count them with. */
  descriptors(): Promise<{ readonly open: number; readonly limit: number } | undefined>;
  /** Other processes that hold a lock on some byte of a file from `first` to `last`. */
  lockHolders(path: string, first: number, last: number): Promise<readonly Holder[]>;
}

/** This machine; where it has no `/proc`, what stands there is unknown. */
export const systemMachine: Machine = {
  room: async (path) => {
    try {
      const { bavail, bfree, blocks, bsize } = await statfs(path);
      // What a file system keeps for the system's own user counts for that user alone.
      return { free: (process.getuid?.() === 0 ? bfree : bavail) * bsize, total: blocks * bsize };
    } catch {
      return undefined;
    }
  },
  descriptors: async () => {
    const limit = await descriptorLimit();
    if (limit === undefined) return undefined;
    try {
      return { open: (await readdir("/proc/self/fd")).length, limit };
    } catch (error) {
      return /^E[MN]FILE$/.test(codeOf(error)) ? { open: limit, limit } : undefined;
    }
  },
  lockHolders: async (path, first, last) => {
    try {
      const { dev, ino } = await stat(path);
      const table = await readFile("/proc/locks", "utf8");
      const pids = parseLocks(table)
        .filter((lock) => lock.inode === ino && lock.device === deviceName(dev))
        .filter((lock) => lock.first <= last && lock.last >= first)
        .map(({ pid }) => pid);
      const others = [...new Set(pids)].filter((pid) => pid > 0 && pid !== process.pid);
      return await Promise.all(others.map(async (pid) => ({ pid, name: await nameOf(pid) })));
    } catch {
      return [];
    }
  },
};

let knownLimit: number | undefined;

/** Read once, at the first look: at the moment it matters there may be no descriptor left to read it with. */
async function descriptorLimit(): Promise<number | undefined> {
  if (knownLimit === undefined) {
    const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
    const match = /^Max open files\s+(\d+)/m.exec(limits);
    if (match !== null) knownLimit = Number(match[1]);
  }
  return knownLimit;
}

/** Reads `/proc/locks`; a line of a process that waits for a lock is left out. A device is `major:minor`, in hexadecimal. */
export function parseLocks(text: string) {
  return text.split("\n").flatMap((line) => {
    const match = /^\d+: POSIX\s+\S+\s+\S+\s+(-?\d+) ([0-9a-f]+:[0-9a-f]+):(\d+) (\d+) (\d+|EOF)$/.exec(
      line.trim(),
    );
    if (match === null) return [];
    const [, pid, device = "", inode, first, last] = match;
    return [
      {
        pid: Number(pid),
        device,
        inode: Number(inode),
        first: Number(first),
        last: last === "EOF" ? Number.POSITIVE_INFINITY : Number(last),
      },
    ];
  });
}

/** A device number as `/proc/locks` writes it. */
function deviceName(dev: number): string {
  const major = Math.floor(dev / 256) % 4_096;
  const minor = (dev % 256) + Math.floor(dev / 1_048_576) * 256;
  return [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":");
}

async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
}
