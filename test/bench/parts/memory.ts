/** Megabytes of a process. */

import { readFileSync } from "node:fs";

export interface Memory {
  /** All that is resident, the runtime's own file among it. */
  readonly resident: number;
  /** What no other process shares: without the runtime's file, which others may hold as well. */
  readonly own: number;
}

/** What a process holds, as Linux tells it; zeros where it does not. */
export function memoryOf(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const of = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1_024;
    return { resident: of("Rss"), own: of("Private_Clean") + of("Private_Dirty") };
  } catch {
    return { resident: 0, own: 0 };
  }
}

/** CPU seconds a process has used so far, of all its threads; 0 where Linux does not tell. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}
