/** File systems of their own for tests, on loop files in memory: made, cut off as by a power cut, mounted again, and taken down. */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MEMORY } from "./folder.ts";

/** What a test may be mounted on. */
export type Kind = "ext4" | "xfs" | "tmpfs";

/** A mounted file system; disposing of it unmounts it and frees its loop device, whatever happened on it. */
export interface Mounted {
  /** Where it is mounted. */
  readonly path: string;
  /** Ends it as a power cut does: nothing that was not synced is there afterwards, and every call fails until `remount`. */
  cut(): void;
  /** Mounts it again, as a machine that comes back does. Nothing may be open on it. */
  remount(): Promise<void>;
  /** From now on it can only be read. */
  remountReadOnly(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const MAKE: Readonly<Record<Exclude<Kind, "tmpfs">, readonly string[]>> = {
  ext4: ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
  xfs: ["mkfs.xfs", "-q", "-f"],
};

/** Smallest images that the makers take, or that a service fits on, in megabytes. */
export const SMALLEST: Readonly<Record<Kind, number>> = { ext4: 64, xfs: 320, tmpfs: 4 };

/** Why this machine cannot mount and cut off a kind of file system, found by trying; undefined when it can. */
export async function whyNot(kind: Kind): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "not root";
  if (kind !== "tmpfs" && Bun.which(MAKE[kind][0] ?? "", { PATH: PATHS }) === null) {
    return `${MAKE[kind][0]} is not installed`;
  }
  try {
    await using tried = await mountNew(kind, SMALLEST[kind]);
    if (kind !== "tmpfs") tried.cut();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Makers of file systems lie where only root's shell looks. */
const PATHS = `${Bun.env["PATH"]}:/usr/sbin:/sbin`;

/** Makes and mounts a file system of `megabytes`. */
export async function mountNew(kind: Kind, megabytes: number): Promise<Mounted> {
  const folder = mkdtempSync(join(MEMORY, "tower-mount-"));
  const path = join(folder, "mnt");
  const image = join(folder, "image");
  mkdirSync(path);
  const mount = () =>
    kind === "tmpfs"
      ? run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path)
      : run("mount", "-o", "loop", image, path);
  try {
    if (kind !== "tmpfs") {
      await run("truncate", "-s", `${megabytes}M`, image);
      await run(...MAKE[kind], image);
    }
    await mount();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path,
    cut: () => shutDown(path),
    remount: async () => {
      await unmount(path);
      await mount();
    },
    remountReadOnly: () => run("mount", "-o", "remount,ro", path),
    [Symbol.asyncDispose]: async () => {
      await unmount(path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a folder of a mounted file system, as it is now, would survive a cut. */
export async function settle(path: string): Promise<void> {
  await run("sync", "-f", path);
}

async function run(...words: readonly string[]): Promise<void> {
  const child = Bun.spawn([...words], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: { ...Bun.env, PATH: PATHS },
  });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${said.trim()}`);
}

/**
 * A process that was just killed may still be letting go; and a database that this process closed keeps its file open until its
 * last compiled statement is collected.
 */
async function unmount(path: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await run("umount", path);
    } catch (error) {
      if (String(error).includes("not mounted")) return;
      if (tries === 40) {
        await run("umount", "--lazy", path);
        throw error;
      }
      Bun.gc(true);
      await Bun.sleep(50);
    }
  }
}

/** FS_IOC_GOINGDOWN, the same for ext4 and XFS. */
const GOING_DOWN = 0x8004587d;
/** Neither data nor log is flushed. */
const NO_FLUSH = 2;

function shutDown(path: string): void {
  const { symbols, close } = dlopen("libc.so.6", {
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  });
  const folder = openSync(path, "r");
  try {
    const code = symbols.ioctl(folder, GOING_DOWN, ptr(new Uint32Array([NO_FLUSH])));
    if (code !== 0) throw new Error(`the file system at ${path} was not cut off: ${code}`);
  } finally {
    closeSync(folder);
    close();
  }
}
