/** `bun src/app/build.ts`: makes the bundle of the service and its commands, where there is none of these sources. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { systemClock } from "../base/base.ts";
import { messageOf } from "../base/text.ts";
import { BUNDLED, bundleFolder, bundlesFolder, ROOT } from "./prepare.ts";

/** A build takes a second or two; what lies unfinished for longer was cut off. In milliseconds. */
const CUT_OFF_MS = 10 * 60_000;
/** Bundles that stay beside the newest: a service that shares the checkout may run from one yet, and starts its workers from there. */
const KEPT = 5;
/** The name of a bundle, or of one that a process makes. */
const BUNDLE = /^[0-9a-f]+(?:\.\d+)?$/;

const folder = bundleFolder(ROOT);
if (!existsSync(folder)) {
  const made = `${folder}.${process.pid}`;
  try {
    await build(made);
    publish(made);
    sweep();
  } catch (error) {
    // A folder that cannot be written, for one: the service is no other without its bundle, only slower to start.
    process.stderr.write(`tower: the service will run from its sources: ${messageOf(error)}\n`);
  } finally {
    if (existsSync(made)) rmSync(made, { recursive: true });
  }
}

async function build(made: string): Promise<void> {
  // Where nothing can be written, this says so in the system's words.
  mkdirSync(made, { recursive: true });
  const workers = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => join(ROOT, "src", path))
    .filter((path) => path.endsWith("_worker.ts"));
  const { success, logs } = await Bun.build({
    entrypoints: [...BUNDLED.map((name) => join(ROOT, "src", "app", `${name}.ts`)), ...workers],
    outdir: made,
    naming: { entry: "[name].[ext]" },
    target: "bun",
    splitting: true,
    // Names and lines stay, for whoever reads a stack.
    minify: { syntax: true, whitespace: false, identifiers: false },
    throw: false,
  });
  if (!success) throw new Error(`the service could not be bundled: ${logs.join("\n")}`);
  for (const worker of workers.map((path) => basename(path, ".ts"))) {
    // A worker is started by the name of its source.
    writeFileSync(join(made, `${worker}.ts`), `import "./${worker}.js";\n`);
  }
  if (bundleFolder(ROOT) !== folder) throw new Error("its sources were changed meanwhile");
}

/** Gives a bundle its name when the disk has all of it: one that is there is whole, also after a power cut. */
function publish(made: string): void {
  for (const name of [...readdirSync(made), "."]) {
    const file = openSync(join(made, name), "r");
    fsyncSync(file);
    closeSync(file);
  }
  try {
    renameSync(made, folder);
  } catch (error) {
    // Somebody else has made the same one.
    if (!existsSync(folder)) throw error;
  }
}

/** Takes away what nobody needs: not the bundles just before this one, nor what is being made. */
function sweep(): void {
  const others = readdirSync(bundlesFolder(ROOT))
    .filter((name) => BUNDLE.test(name))
    .map((name) => join(bundlesFolder(ROOT), name))
    .filter((path) => path !== folder)
    .flatMap((path) => {
      // Another start may take it away, or has just finished it under its own name.
      const made = statSync(path, { throwIfNoEntry: false });
      return made === undefined ? [] : [{ path, madeAt: made.mtimeMs }];
    })
    .sort((one, other) => other.madeAt - one.madeAt);
  const isUnfinished = ({ path }: { readonly path: string }) => basename(path).includes(".");
  const older = others.filter((other) => !isUnfinished(other)).slice(KEPT);
  const cutOff = others.filter(
    (other) => isUnfinished(other) && systemClock.now() - other.madeAt > CUT_OFF_MS,
  );
  for (const { path } of [...older, ...cutOff]) rmSync(path, { recursive: true, force: true });
}
