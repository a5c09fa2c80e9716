/** Which ports are free. Somebody may take one between the look and its use; then the start of what needs it says so. */

import { DemoFault } from "./fault.ts";

/** How far from the usual ports others are looked for. */
const MOST_STEPS = 40;

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

/** The first of `count` neighbouring ports that are all free: `usual`, or one some steps on. Throws `DemoFault` where there are none. */
export function freePorts(usual: number, count: number): number {
  for (let step = 0; step < MOST_STEPS; step++) {
    const first = usual + step * count;
    if (Array.from({ length: count }, (_, place) => first + place).every(isFree)) return first;
  }
  throw new DemoFault(
    `no ${count} neighbouring ports are free from ${usual} on. To look elsewhere: bun run demo --port <number>`,
  );
}
