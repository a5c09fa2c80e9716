/** Prometheus' own checker, where the machine has it. */

import { finished } from "./service.ts";

const PROMTOOL = Bun.which("promtool");

/** Why what it checks is not tested here; undefined where it is. */
export const noPromtool: string | undefined =
  PROMTOOL === null ? "promtool is not on this machine" : undefined;

/** Runs it to its end; everything it says, the code in front. */
export async function promtool(args: readonly string[], input = ""): Promise<string> {
  const child = Bun.spawn([PROMTOOL ?? "promtool", ...args], {
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, err } = await finished(child);
  return `${code} ${out}${err}`.trim();
}
