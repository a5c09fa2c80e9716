/**
 * Who started this process for somebody and stays until it ends: `npx`, `bun run`, and the shells between them. Whoever stops one of
 * them means the service, and none of them passes every signal on: npx ends the shell that it started, which takes nobody with it.
 * Told apart from those who start a service and let it be, on purpose: a shell, its script, `nohup`, systemd, a container. So only
 * programs of this process's own group count, as one command of a shell or of cron is one, and none above the last runner.
 */

import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { isatty } from "node:tty";

/** Whether this process reads from a terminal or writes to one. Under `nohup` it does neither. */
export const usesTerminal = (): boolean => [0, 1, 2].some((file) => isatty(file));

/** Whether there is a terminal that this process belongs to; a closed one belongs to nobody. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** What the system says of a process. */
export type ProcessLook = NonNullable<ReturnType<typeof lookAt>>;

/** What runs commands for others. Npx is a program of Node, `bun run` one of Bun. */
const RUNNERS = new Set(["node", "nodejs", "bun", "bun.exe"]);
/** Between two looks, in milliseconds. */
const LOOK_MS = 1_000;

/** The starters of process `own`, from its parent up. */
export function startersOf(own: number, look: (pid: number) => ProcessLook | undefined): number[] {
  const group = look(own)?.group;
  const above: number[] = [];
  let known = 0;
  for (let pid = look(own)?.parent; pid !== undefined && pid > 0; ) {
    const seen = look(pid);
    if (seen === undefined || seen.group !== group) break;
    above.push(pid);
    if (RUNNERS.has(seen.program)) known = above.length;
    pid = seen.parent;
  }
  return above.slice(0, known);
}

/** Whether each of them is still the parent of the one below: a process whose parent ends gets another one at once. */
export function areStill(
  own: number,
  starters: readonly number[],
  look: (pid: number) => ProcessLook | undefined,
): boolean {
  const below = [own, ...starters];
  return starters.every((starter, index) => look(below[index] ?? own)?.parent === starter);
}

/**
 * Resolves when a starter has gone; never where there is none, or no way to see it, as outside of Linux. Node, and so npx, ends with its
 * terminal even under `nohup`: what was started without any use of the terminal that is closed then was meant to outlive it.
 */
export function starterGone(): Promise<void> {
  const starters = startersOf(process.pid, lookAt);
  const { promise, resolve } = Promise.withResolvers<void>();
  if (starters.length === 0) return promise;
  const isDetached = !usesTerminal();
  let hadTerminal = hasTerminal();
  const timer = setInterval(() => {
    if (areStill(process.pid, starters, lookAt)) {
      hadTerminal = isDetached && hasTerminal();
      return;
    }
    clearInterval(timer);
    if (!(isDetached && hadTerminal && !hasTerminal())) resolve();
  }, LOOK_MS);
  timer.unref();
  return promise;
}

function lookAt(pid: number) {
  try {
    // After the name, which is in brackets and may hold anything: state, parent, group.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(parent), group: Number(group), program: programOf(pid) };
  } catch {
    return undefined;
  }
}

/** The name of its program's file; of another user's process it is not told. */
function programOf(pid: number): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}
