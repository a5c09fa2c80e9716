/** One run of the archive over one site, for `bench archive`: how much memory it takes. Prints one line of JSON. */

import { readFileSync, writeFileSync } from "node:fs";
import { archiveGround } from "./archive_ground.ts";
import { type WorldOrder, worldOf } from "./archive_world.ts";

export interface Measured {
  /** MiB: what was resident before, and the most that was. */
  readonly before: number;
  readonly peak: number;
  readonly rows: number;
  /** Rows of the largest report. */
  readonly most: number;
  readonly seconds: number;
}

const resident = (name: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) /
  1_024;

async function measure(
  order: WorldOrder & { readonly providers: Readonly<Record<string, string>> },
): Promise<Measured> {
  const ground = await archiveGround(order.keys, {
    world: worldOf(order, Date.now()),
    providers: order.providers,
  });
  Bun.gc(true);
  // The most is counted from here on.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = resident("VmRSS");
  const begun = performance.now();
  await ground.run();
  const seconds = (performance.now() - begun) / 1_000;
  const peak = resident("VmHWM");
  const [told] = ground.deps.store.raw
    .query<{ rows: number; most: number }, []>(
      "SELECT sum(rows) AS rows, max(rows) AS most FROM archive_object",
    )
    .all();
  await ground.close();
  return { before, peak, rows: told?.rows ?? 0, most: told?.most ?? 0, seconds };
}

if (import.meta.main) {
  console.log(JSON.stringify(await measure(await Bun.stdin.json())));
  process.exit(0);
}
