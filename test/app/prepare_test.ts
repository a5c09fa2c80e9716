/** What a start installs, from a registry on this machine. */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installingMark, missingPackages, PackagesMissing, preparePackages } from "../../src/app/prepare.ts";
import { temporaryFolder } from "../support/folder.ts";

// The one package that a registry has: one file beside its own description.

const PACKAGE = "tiny";

/** A registry of packages on this machine, with one package in two versions, made in `folder`. */
function startRegistry(folder: string) {
  const versions = ["1.0.0", "2.0.0"];
  for (const version of versions) pack(folder, version);
  let held: Promise<void> = Promise.resolve();
  let asking = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      if (path.endsWith(".tgz")) {
        asking.resolve();
        await held;
        const file = Bun.file(join(folder, path.split("/").at(-1) ?? ""));
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
      }
      const tarball = (version: string) =>
        new URL(`/${PACKAGE}/-/${PACKAGE}-${version}.tgz`, request.url).href;
      return Response.json({
        name: PACKAGE,
        "dist-tags": { latest: "2.0.0" },
        versions: Object.fromEntries(
          versions.map((version) => [
            version,
            { name: PACKAGE, version, dist: { tarball: tarball(version) } },
          ]),
        ),
      });
    },
  });
  return {
    url: server.url.href,
    /** Answers packages from now on only once the promise that it returns is resolved. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    /** Resolves when a package is asked for. */
    asked: () => {
      asking = Promise.withResolvers<void>();
      return asking.promise;
    },
    stop: () => server.stop(true),
  };
}

function pack(folder: string, version: string): void {
  const made = join(folder, version, "package");
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, "package.json"), JSON.stringify({ name: PACKAGE, version }));
  writeFileSync(join(made, "index.js"), `export default "${version}";\n`);
  const tarball = join(folder, `${PACKAGE}-${version}.tgz`);
  const { success, stderr } = Bun.spawnSync(["tar", "-czf", tarball, "-C", join(folder, version), "package"]);
  if (!success) throw new Error(stderr.toString());
}

const folder = temporaryFolder();
const root = join(folder.path, "tower");
const installed = join(root, "node_modules", PACKAGE);
let registry: ReturnType<typeof startRegistry>;

/** Writes what the checkout asks for, with its lock file, and leaves nothing installed. */
async function ask(version: string): Promise<void> {
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ name: "tower", dependencies: { [PACKAGE]: version } }),
  );
  const { exited } = Bun.spawn([process.execPath, "install", "--silent"], {
    cwd: root,
    stdout: "ignore",
    stderr: "ignore",
  });
  if ((await exited) !== 0) throw new Error("the lock file could not be made");
}

/** Prepares; answers what was said. */
async function prepare(signal = new AbortController().signal): Promise<string[]> {
  const said: string[] = [];
  await preparePackages(root, { say: (line) => said.push(line), signal });
  return said;
}

beforeAll(() => {
  mkdirSync(root);
  registry = startRegistry(folder.path);
  writeFileSync(
    join(root, "bunfig.toml"),
    `telemetry = false\n[install]\nregistry = "${registry.url}"\ncache = "${join(folder.path, "cache")}"\n`,
  );
});
beforeEach(async () => {
  for (const name of ["bun.lock", "node_modules", ".build"])
    rmSync(join(root, name), { recursive: true, force: true });
  await ask("1.0.0");
});
afterAll(async () => {
  await registry.stop();
  folder[Symbol.dispose]();
});

test("where nothing is missing nothing is touched, nor said", async () => {
  const before = readdirSync(root).sort();
  expect(await prepare()).toStrictEqual([]);
  expect(readdirSync(root).sort()).toEqual(before);
});

test("several starts at once install once, and all find the packages", async () => {
  rmSync(join(root, "node_modules"), { recursive: true });
  expect(missingPackages(root)).toEqual([`${PACKAGE}@1.0.0`]);
  const said = await Promise.all([1, 2, 3].map(() => prepare()));
  expect(said.flat()).toEqual([`tower: installing 1 package into ${join(root, "node_modules")}`]);
  expect(missingPackages(root)).toStrictEqual([]);
  expect(readdirSync(installed).sort()).toEqual(["index.js", "package.json"]);
});

test("a package of another version than the lock file's counts as missing", async () => {
  await ask("2.0.0");
  expect(missingPackages(root)).toStrictEqual([]);
  // The file itself is the cache's, too.
  rmSync(join(installed, "package.json"));
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: PACKAGE, version: "1.0.0" }));
  expect(missingPackages(root)).toEqual([`${PACKAGE}@2.0.0`]);
  await prepare();
  expect(missingPackages(root)).toStrictEqual([]);
});

test("an install that is cut off ends, and the next one trusts nothing that it left", async () => {
  for (const name of ["node_modules", "../cache"]) rmSync(join(root, name), { recursive: true });
  const release = registry.hold();
  const cut = new AbortController();
  const asked = registry.asked();
  const preparing = prepare(cut.signal);
  await asked;
  cut.abort();
  await preparing;
  release();
  expect(existsSync(installingMark(root))).toBe(true);
  // What a kill leaves: the package's description, without its file.
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: PACKAGE, version: "1.0.0" }));
  expect(missingPackages(root)).toEqual([`${PACKAGE}@1.0.0`]);
  await prepare();
  expect(readdirSync(installed).sort()).toEqual(["index.js", "package.json"]);
  expect(existsSync(installingMark(root))).toBe(false);
});

test("what cannot be installed is told in the installer's own words", async () => {
  for (const name of ["node_modules", "../cache"]) rmSync(join(root, name), { recursive: true });
  rmSync(join(folder.path, `${PACKAGE}-1.0.0.tgz`));
  const failing = prepare();
  await expect(failing).rejects.toBeInstanceOf(PackagesMissing);
  await expect(failing).rejects.toThrow(
    new RegExp(
      `^1 package is missing in ${root}/node_modules \\(${PACKAGE}@1.0.0\\) and could not be installed: error: .*${PACKAGE}`,
    ),
  );
  rmSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(join(root, "node_modules"), "in the way");
  await expect(prepare()).rejects.toThrow(
    /could not be installed: E[A-Z]+: .*; let this user write there for one start/,
  );
  rmSync(join(root, "node_modules"));
});
