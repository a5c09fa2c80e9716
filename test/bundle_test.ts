/** The service as a bundle: made once, taken only while it is of these sources, and the same service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder, ROOT, serviceModule } from "../src/bundle.ts";
import { askService } from "../src/control.ts";
import { temporaryFolder } from "./support/folder.ts";
import { startService } from "./support/service.ts";

const folder = temporaryFolder();
const root = join(folder.path, "tower");
const bundle = bundleFolder(root);

function build(): void {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(root, "src", "build.ts")], {
    cwd: root,
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

beforeAll(() => {
  for (const name of ["src", "drizzle", "public", "package.json", "bun.lock", "tsconfig.json", "bunfig.toml"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
});
afterAll(() => folder[Symbol.dispose]());

describe("the service's bundle", () => {
  test("is taken once it is made, and no longer when a source has changed", () => {
    const source = join(root, "src", "serve.ts");
    expect(serviceModule(root)).toBe(source);
    build();
    expect(serviceModule(root)).toBe(join(bundle, "serve.js"));
    utimesSync(join(root, "src", "lib", "utc_day.ts"), 1, 1);
    expect(serviceModule(root)).toBe(source);
    build();
    expect(serviceModule(root)).toBe(join(bundle, "serve.js"));
  });

  test("serves pages and files, and its workers check, back up and move the log", async () => {
    const dataDir = join(folder.path, "data");
    const settings = { DATA_DIR: dataDir, INGEST_PORT: "0", TOWER_PORT: "0", LOG_LEVEL: "error" };
    const service = await startService(settings, { root });
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
