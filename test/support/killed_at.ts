/** Commands that are killed at a system call: no moment of theirs is left to chance. */

import { join } from "node:path";
import { bareEnvironment } from "./service.ts";

const CLI = join(import.meta.dir, "..", "..", "src", "cli.ts");

/** Why nothing can be killed so here; undefined where it can. */
export function whyNoInjection(): string | undefined {
  if (Bun.which("strace") === null) return "there is no strace";
  const tried = Bun.spawnSync(["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"]);
  return tried.success ? undefined : "strace is not permitted";
}

/** A system call: which of one thread's it is, the first by itself; of those on a path alone, where one is named. */
export interface Step {
  readonly call: "fsync" | "link" | "mkdir" | "rename" | "unlink";
  readonly nth?: number;
  readonly path?: string;
}

/** Runs a command and kills it where it would do a step: before it is done. `ended` where it never came to that. */
export async function killedAt(
  { call, nth, path }: Step,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<"killed" | "ended"> {
  const child = Bun.spawn(
    [
      "strace",
      "-f",
      "-qq",
      // With it strace looks at paths, and yet does nothing to the calls on them.
      ...(path === undefined ? ["--seccomp-bpf"] : ["-P", path]),
      "-o",
      "/dev/null",
      "-e",
      `trace=${call}`,
      "-e",
      `inject=${call}:signal=SIGKILL${nth === undefined ? "" : `:when=${nth}`}`,
      process.execPath,
      CLI,
      ...words,
    ],
    { env: { ...bareEnvironment(), ...settings }, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  const said = await new Response(child.stderr).text();
  const code = await child.exited;
  if (child.signalCode === "SIGKILL" || code === 137) return "killed";
  if (code === 0) return "ended";
  throw new Error(`${words.join(" ")}: ${code}: ${said}`);
}
