/** The command's outside, made from this process: the one place of the measuring command that reads it. */
import { tmpdir } from "node:os";
import process from "node:process";
import { systemClock } from "../platform/clock.ts";
import type { MeasureIo } from "./command.ts";

/** Environment, folders, streams and clock of this process; `signal` ends a run early. */
export function processIo(signal?: AbortSignal): MeasureIo {
  return {
    env: process.env,
    cwd: process.cwd(),
    machine: { platform: process.platform, arch: process.arch },
    scratch: tmpdir(),
    now: systemClock.now,
    stdout: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    stderr: { isTTY: process.stderr.isTTY === true, write: (text) => void process.stderr.write(text) },
    ...(signal === undefined ? {} : { signal }),
  };
}
