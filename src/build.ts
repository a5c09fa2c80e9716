/** `bun src/build.ts`: makes the bundle of the service, where there is none of these sources. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bundleFolder, ROOT, STAMP, serviceModule, stampOf } from "./bundle.ts";
import { messageOf } from "./lib/thrown.ts";

const folder = bundleFolder(ROOT);
if (!serviceModule(ROOT).startsWith(folder)) {
  try {
    await build();
  } catch (error) {
    // A folder that cannot be written, for one: the service is no other without its bundle, only slower to start.
    process.stderr.write(`tower: the service will run from its sources: ${messageOf(error)}\n`);
  }
}

async function build(): Promise<void> {
  // Before the sources are read: what changes meanwhile makes it stale.
  const stamp = stampOf(ROOT);
  const workers = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => join(ROOT, "src", path))
    .filter((path) => path.endsWith("_worker.ts") && readFileSync(path, "utf8").includes("self.onmessage"));
  const made = `${folder}.${process.pid}`;
  const { success, logs } = await Bun.build({
    entrypoints: [join(ROOT, "src", "serve.ts"), ...workers],
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
  writeFileSync(join(made, STAMP), stamp);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}
