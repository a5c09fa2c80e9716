/** The commands of the Tower, asked of the demo's service over its control socket, as `bun run tower` asks them. */

import type { Invocation } from "../command/contract.ts";
import { askService } from "../control.ts";
import { DemoFault } from "./fault.ts";

/** Runs a command and answers what it printed. Throws `DemoFault` where it ends with another exit code than these, or none answers. */
export async function tower(
  dataDir: string,
  name: string,
  invocation: Invocation,
  exitCodes: readonly number[] = [0],
): Promise<string> {
  const outcome = await askService(dataDir, name, invocation);
  if (outcome === undefined) throw new DemoFault(`tower ${name}: the service does not answer`);
  if (!exitCodes.includes(outcome.exitCode)) throw new DemoFault(`tower ${name}: ${outcome.stderr}`);
  return outcome.stdout.trim();
}
