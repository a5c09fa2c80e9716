/**
 * Proves the Dockerfile without an engine: `bun run image [<repository>…]`, as root on a Linux with debootstrap.
 *
 * Each step of both images is carried out in a bare Debian root. Then the measuring image measures this repository and those that were
 * named, and must say what the command says natively; so must the one that the service's image writes into a repository; and the
 * service starts as its user, is healthy, and stops on its signal.
 */

import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readDockerfile, type Stage } from "../../src/measure/action/parcel.ts";
import { type Built, buildStages } from "./build.ts";
import { compareReports, runService, sizeOf, writeAction } from "./proof.ts";
import { endAll, makeRoot, PROGRAMS, removeRoot, said } from "./root.ts";

const ROOT = join(import.meta.dir, "..", "..");
const startedAt = performance.now();

function tell(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`${seconds.padStart(4)} s  ${line}\n`);
}

async function prove(work: string, repositories: readonly string[]): Promise<void> {
  const base = join(work, "root");
  await makeRoot(base);
  tell(`bare root: ${await sizeOf(base)} MiB`);
  const built = await buildStages(stagesIn(ROOT), base, work, ROOT, tell);
  const [measure, tower] = [of(built, "measure"), of(built, "tower")];
  tell(`measure: ${await sizeOf(measure.root)} MiB, tower: ${await sizeOf(tower.root)} MiB`);
  // A clone: a worktree's own history lies elsewhere.
  const own = join(work, "own");
  await said(["git", "clone", "--quiet", ROOT, own]);
  for (const repository of [own, ...repositories]) await measuresAlike(measure, repository, work);
  const checkout = join(work, "checkout");
  mkdirSync(checkout);
  const context = await writeAction(tower, checkout);
  // The stages below are the same; what is the action's own is the folder that the last one copies from.
  const below = new Map([...built].filter(([name]) => name === "bun" || name === "base"));
  const carried = await buildStages(stagesIn(context), base, join(work, "carried"), context, tell, below);
  await measuresAlike(of(carried, "measure"), own, work);
  const { readyMs, stopMs } = await runService(tower, work);
  tell(
    `tower: ready after ${Math.round(readyMs)} ms, stopped ${Math.round(stopMs)} ms after ${tower.stopSignal}`,
  );
}

function stagesIn(folder: string): Stage[] {
  return readDockerfile(readFileSync(join(folder, "Dockerfile"), "utf8"));
}

function of(built: ReadonlyMap<string, Built>, name: string): Built {
  const image = built.get(name);
  if (image === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  return image;
}

async function measuresAlike(image: Built, repository: string, work: string): Promise<void> {
  const faults = await compareReports(image, repository, join(ROOT, "src", "measure", "main.ts"), work);
  if (faults.length > 0) {
    throw new Error(`${repository}: the image's report differs from the native one at ${faults.join(", ")}`);
  }
  tell(`${repository}: the same report in the image and natively`);
}

const missing = PROGRAMS.filter((name) => Bun.which(name) === null);
if (process.getuid?.() !== 0 || missing.length > 0) {
  process.stderr.write(`this needs root, and ${missing.join(", ") || "nothing else"}\n`);
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), "tower-image-"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, endAll);
try {
  await prove(
    work,
    process.argv.slice(2).map((path) => resolve(path)),
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  removeRoot(work);
}
