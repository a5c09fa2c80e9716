/**
 * `bun run bench [name…] [--option=value…]`: timings, always as ratios within one run. Each bench is a process of its own on one
 * core, one after the other; those that need a load client put it on another core. Options go to every bench that runs.
 * What benches share lies in `parts`.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onCore } from "./parts/processes.ts";

/** Benches that place their own processes. */
const PLACES_ITSELF = new Set(["archive", "ingest", "nightly", "power_cuts", "sense", "soak", "start"]);
/** Longest a bench may take, in milliseconds: a soak of twenty minutes, with what comes before and after it. */
const LIMIT_MS = 30 * 60_000;

const known = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3))
  .filter((name) => name !== "main")
  .sort();
const given = Bun.argv.slice(2);
if (given.includes("--help")) {
  process.stdout.write(`Usage: bun run bench [name…] [--option=value…]\n\nBenches: ${known.join(", ")}\n`);
  process.exit(0);
}
const options = given.filter((one) => one.startsWith("--"));
const asked = given.filter((one) => !one.startsWith("--"));
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`there is no bench ${unknown.join(", ")}; there are ${known.join(", ")}\n`);
  process.exit(2);
}

let failed = 0;
for (const name of asked.length === 0 ? known : asked) {
  process.stdout.write(`== ${name}\n`);
  const core = PLACES_ITSELF.has(name) ? [] : onCore(0);
  const child = Bun.spawn([...core, process.execPath, join(import.meta.dir, `${name}.ts`), ...options], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    timeout: LIMIT_MS,
  });
  if ((await child.exited) !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
