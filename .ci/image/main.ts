/**
 * Proves the Dockerfile without an engine: `bun run image [<repository>…]`, as root on a Linux with debootstrap.
 *
 * Each step of both images is carried out in a bare Debian root. Then the measuring image measures this repository and those that were
 * named, and must say what the command says natively; and the service starts as its user, is healthy, and stops on its signal.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readDockerfile, stagesFor } from "../../src/action/dockerfile.ts";
import { buildStages } from "./build.ts";
import { compareReports, runService, sizeOf } from "./proof.ts";
import { endAll, makeRoot, PROGRAMS, removeRoot, said } from "./root.ts";

const ROOT = join(import.meta.dir, "..", "..");

const tell = (line: string) => void process.stdout.write(`${line}\n`);
const missing = PROGRAMS.filter((name) => Bun.which(name) === null);
if (process.getuid?.() !== 0 || missing.length > 0) {
  process.stderr.write(`this needs root, and ${missing.join(", ") || "nothing else"}\n`);
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), "tower-image-"));
const startedAt = performance.now();
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, endAll);
try {
  const base = join(work, "root");
  await makeRoot(base);
  tell(`bare root: ${await sizeOf(base)} MiB (${seconds()} s)`);
  const stages = readDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8"));
  const needed = new Set(["measure", "tower"].flatMap((target) => stagesFor(stages, target)));
  const built = await buildStages(
    stages.filter((stage) => needed.has(stage)),
    base,
    work,
    ROOT,
    tell,
  );
  const [measure, tower] = [built.get("measure"), built.get("tower")];
  if (measure === undefined || tower === undefined)
    throw new Error("the Dockerfile has no stages measure and tower");
  tell(`measure: ${await sizeOf(measure.root)} MiB, tower: ${await sizeOf(tower.root)} MiB (${seconds()} s)`);
  // A clone: a worktree's own history lies elsewhere.
  const own = join(work, "own");
  await said(["git", "clone", "--quiet", ROOT, own]);
  for (const repository of [own, ...process.argv.slice(2).map((path) => resolve(path))]) {
    const faults = await compareReports(measure, repository, join(ROOT, "src", "measure", "main.ts"), work);
    if (faults.length > 0)
      throw new Error(
        `${repository}: the image's report differs from the native one at ${faults.join(", ")}`,
      );
    tell(`${repository}: the same report in the image and natively (${seconds()} s)`);
  }
  const { readyMs, stopMs } = await runService(tower, work);
  tell(
    `tower: ready after ${Math.round(readyMs)} ms, stopped ${Math.round(stopMs)} ms after ${tower.stopSignal}`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  removeRoot(work);
}
