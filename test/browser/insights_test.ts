/** The panels of a site in a browser: what is cut is whole where it is copied, and they stay as the reader has them. */

import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { utcDayOf } from "../../src/base/time.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { askAnew, browserPages, WIDTHS, widerThan } from "../support/browser.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { plantArchive } from "../support/make/insights.ts";
import { type World, world } from "../support/world.ts";

setDefaultTimeout(60_000);

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
  await plant("orchard", 3);
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

test("reports, orders and searches are links and forms", async () => {
  const page = await open("/sites/orchard/insights");
  await page.getByRole("link", { name: /^Pages in search \d/ }).click();
  const report = page.locator("#report");
  await report.getByRole("heading", { name: "Pages in search" }).waitFor();
  expect(await report.locator("tbody tr").count()).toBe(25);
  await report.getByRole("link", { name: "Position" }).click();
  await report.locator("th[aria-sort=descending]", { hasText: "Position" }).waitFor();
  const first = (await report.locator("tbody th").first().textContent()) ?? "";
  await report.getByRole("searchbox").fill(first);
  await report.getByRole("searchbox").press("Enter");
  await page.waitForURL(/[?&]q=/);
  expect(await report.locator("tbody th").allTextContents()).toContain(first);
  expect(await report.locator("th[aria-sort=descending]").textContent()).toBe("Position");
  await report.getByRole("link", { name: "where these figures are from" }).click();
  await page.waitForURL(/\/archive\/reports\/\d+$/);
});

test("a later report takes the place of the one that is shown, and what is open stays open", async () => {
  const page = await open("/sites/orchard/insights?report=webmaster-tools.crawl-issues");
  const issues = page.locator("#report details").first();
  await issues.locator("summary").click();
  const date = page.locator("#report header .from");
  const before = await date.textContent();
  await plant("orchard", 1);
  await askAnew(page);
  await page.waitForFunction(
    (words) => document.querySelector("#report header .from")?.textContent !== words,
    before,
  );
  expect(await issues.getAttribute("open")).not.toBeNull();
});

test.each([
  "/sites/harbor",
  "/sites/harbor/insights",
  "/sites/harbor/insights?report=webmaster-tools.crawl-stats",
])("%s scrolls sideways at no width", async (path) => {
  expect(await widerThan(WIDTHS, await open(path))).toEqual([]);
});
