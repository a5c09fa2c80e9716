/** Sample data are called so on every page, before and after signing in. */

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { SAMPLE_MARK } from "../../src/base/config.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const folder = temporaryFolder();
writeFileSync(join(folder.path, SAMPLE_MARK), "");
const [sample, own] = await Promise.all([
  testTower({ settings: { ...PROXY, DATA_DIR: folder.path } }),
  testTower({ settings: PROXY }),
]);
afterAll(async () => {
  await Promise.all([sample.close(), own.close()]);
  folder[Symbol.dispose]();
});

const BAND =
  /<aside class="sample" aria-label="Sample data"><b>Sample data<\/b> <span>Every site and figure is invented\.<\/span><\/aside>/;
const pageOf = async (tower: typeof sample, path: string, as = "") =>
  (await tower.ask(path, { as, headers: { accept: "text/html" } })).text();

test.each(["/", "/flags", "/timeline", "/wall", "/settings", "/sites/new", "/sites/nowhere"])(
  "%s says so above everything, in its title too",
  async (path) => {
    const html = await pageOf(sample, path, "ada");
    expect([BAND.test(html), html.includes("Tower (sample data)</title>")]).toEqual([true, true]);
    expect(await pageOf(own, path, "ada")).not.toContain("ample data");
  },
);

test("a page before signing in says so, too", async () => {
  expect(await pageOf(sample, "/setup")).toMatch(BAND);
});

test("no page is made elsewhere but the Wall, which has no frame, and the one for an unknown host, which shows nothing that is stored", async () => {
  const root = join(import.meta.dir, "..", "..", "src", "tower");
  const made: string[] = [];
  for (const path of new Glob("**/*.tsx").scanSync(root)) {
    if ((await Bun.file(join(root, path)).text()).includes("<html")) made.push(path);
  }
  expect(made).toHaveLength(3);
});
