/** The service as a bundle: made once, taken only while it is of these sources, and the same service. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { askService } from "../src/app/control.ts";
import { bundleFolder, bundlesFolder, moduleFor } from "../src/app/prepare.ts";
import { copyCheckout } from "./support/checkout.ts";
import { temporaryFolder } from "./support/folder.ts";
import { startService } from "./support/service.ts";

const folder = temporaryFolder();
const root = join(folder.path, "tower");
const source = join(root, "src", "app", "serve.ts");
const bundles = bundlesFolder(root);
const command = [process.execPath, join(root, "src", "app", "build.ts")];

/** Builds; answers what was said. */
function build(): string {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: root });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stderr.toString();
}

const edit = () => appendFileSync(join(root, "src", "base", "time.ts"), "// More.\n");
const built = () => join(bundleFolder(root), "serve.js");

beforeAll(() => {
  copyCheckout(root);
});
afterAll(() => folder[Symbol.dispose]());

describe("the service's bundle", () => {
  test("is taken once it is made, and no longer when a source has changed", () => {
    expect(moduleFor(root, "serve")).toBe(source);
    build();
    expect(moduleFor(root, "serve")).toBe(built());
    expect(moduleFor(root, "run_command")).toBe(join(bundleFolder(root), "run_command.js"));
    edit();
    expect(moduleFor(root, "serve")).toBe(source);
  });

  test("is taken wherever its sources say the same, whatever times their files have", () => {
    build();
    // An image, or a copy of the folder, keeps whole seconds or none.
    utimesSync(join(root, "src", "base", "time.ts"), 1, 1);
    expect(moduleFor(root, "serve")).toBe(built());
  });

  test("the five before stay, for services of this checkout that were not restarted since", () => {
    rmSync(bundles, { recursive: true });
    const before = [1, 2, 3, 4, 5, 6].map((age) => {
      const path = join(bundles, `1a2b${age}`);
      mkdirSync(path, { recursive: true });
      utimesSync(path, 1_000 - age, 1_000 - age);
      return path;
    });
    build();
    expect(before.map((path) => existsSync(path))).toEqual([true, true, true, true, true, false]);
  });

  test("where none can be made the service runs from its sources, and that is said", () => {
    rmSync(bundles, { recursive: true });
    writeFileSync(bundles, "");
    expect(build()).toStartWith("tower: the service will run from its sources: ");
    expect(moduleFor(root, "serve")).toBe(source);
    rmSync(bundles);
  });

  test("several builds at once make one, and what one that was cut off left is taken away in time", async () => {
    const [old, recent] = [join(bundles, "1a2b.77"), join(bundles, "1a2b.78")];
    for (const path of [old, recent]) mkdirSync(path, { recursive: true });
    utimesSync(old, 1, 1);
    const running = [0, 1].map(() => Bun.spawn(command, { cwd: root, stderr: "pipe" }));
    const said = await Promise.all(running.map(({ stderr }) => new Response(stderr).text()));
    expect(said).toEqual(["", ""]);
    expect(moduleFor(root, "serve")).toBe(built());
    expect(readdirSync(bundles).sort()).toEqual(
      [bundleFolder(root), recent].map((path) => basename(path)).sort(),
    );
  });

  test("serves pages and files by tower serve from any folder, and its workers check, back up and move the log", async () => {
    const dataDir = join(folder.path, "data");
    const settings = { DATA_DIR: dataDir, INGEST_PORT: "0", TOWER_PORT: "0", LOG_LEVEL: "error" };
    const started = { root, cwd: folder.path, file: "cli.ts", words: ["serve"] } as const;
    const service = await startService(settings, started);
    try {
      const page = await fetch(new URL("/sign-in", service.towerUrl));
      const html = await page.text();
      expect([page.status, html.includes("</html>")]).toEqual([200, true]);
      const css = /\/static\/tower\.[0-9a-f]+\.css/.exec(html)?.[0] ?? "";
      expect((await fetch(new URL(css, service.towerUrl))).headers.get("content-type")).toBe(
        "text/css; charset=utf-8",
      );
      expect((await fetch(new URL("/metrics", service.towerUrl))).status).toBe(200);
      const backup = join(folder.path, "one.backup");
      for (const [name, ...args] of [["check"], ["backup", backup]] as const) {
        expect(await askService(dataDir, name, { args, cwd: dataDir })).toMatchObject({ exitCode: 0 });
      }
      expect(existsSync(backup)).toBe(true);
    } finally {
      expect(await service.end("SIGTERM")).toBe(0);
    }
    expect(await service.errors()).toBe("");
  });
});
