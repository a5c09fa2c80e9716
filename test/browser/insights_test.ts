/** The panels of a site in a browser: what is cut is whole where it is copied, and they stay as the reader has them. */

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { utcDayOf } from "../../src/base/time.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { browserPages, WIDTHS, widerThan } from "../support/browser.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { plantArchive } from "../support/make/insights.ts";
import { type World, world } from "../support/world.ts";

const DAY_MS = 86_400_000;
const LONG = `${"a-very-long-name/".repeat(28)}\u202Eend`;

const browser = browserPages();
let ground: TestGround;
let site: World;
let base: string;

const plant = (asset: string, back: number, text?: string) =>
  ground.writer.write((tx): void => {
    for (const provider of PROVIDERS) {
      plantArchive(tx, {
        asset,
        provider,
        property: "sc-domain:harbor.example",
        newest: utcDayOf(ground.clock.now() - back * DAY_MS),
        of: () => (text === undefined ? {} : { text }),
      });
    }
  });

beforeAll(async () => {
  ground = await testGround();
  await plant("harbor", 1, LONG);
  site = await world({ ground });
  base = site.listen("tower", "ada").url;
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});
afterEach(async () => {
  expect(site.lines.filter(({ level }) => level === "error")).toEqual([]);
});

const open = (path: string, options: { readonly scripts?: boolean; readonly width?: number } = {}) =>
  browser.open(`${base}${path}`, options);

test("a name that is cut has the whole in its title, and turns nothing around it", async () => {
  const page = await open("/sites/harbor/insights");
  const name = page.locator("#report tbody th [title]").first();
  expect(await name.getAttribute("title")).toBe(`${LONG}0`);
  const [seen, cell] = await Promise.all([name.boundingBox(), name.locator("..").boundingBox()]);
  expect(seen?.width ?? 0).toBeLessThanOrEqual(cell?.width ?? 0);
});

test.each([
  "/sites/harbor",
  "/sites/harbor/insights",
  "/sites/harbor/insights?report=webmaster-tools.crawl-stats",
])("%s scrolls sideways at no width", async (path) => {
  expect(await widerThan(WIDTHS, await open(path))).toEqual([]);
});
