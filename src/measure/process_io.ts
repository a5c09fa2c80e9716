/** The command's outside, made from this process: the one place of the measuring command that reads it. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import process from "node:process";
import { systemClock } from "../platform/clock.ts";
import type { MeasureIo } from "./command.ts";

/** The start of the machine and the process namespace; the machine's name where Linux does not tell. */
function place(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** The folder it was called in; another process may have removed that one. */
function cwd(): string {
  try {
    return process.cwd();
  } catch {
    return tmpdir();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Environment, folders, streams and clock of this process; `signal` ends a run early. */
export function processIo(signal?: AbortSignal): MeasureIo {
  return {
    env: process.env,
    cwd: cwd(),
    machine: { platform: process.platform, arch: process.arch },
    scratch: tmpdir(),
    self: { pid: process.pid, uid: process.getuid?.() ?? 0, place: place(), isAlive },
    now: systemClock.now,
    stdout: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    stderr: { isTTY: process.stderr.isTTY === true, write: (text) => void process.stderr.write(text) },
    ...(signal === undefined ? {} : { signal }),
  };
}
