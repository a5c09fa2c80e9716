/** The pages of integrations in a browser: by touch without scripts, and by keyboard over a refresh. */

import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPages, type Opening } from "../support/browser.ts";
import { fresh } from "../support/fresh.ts";
import { pulledTower, pulledWorld } from "../support/pulled.ts";

const HOUR = 3_600_000;
const SITES = ["harbor.example", "ferry.example", "orchard.example"];

const pulled = fresh(() => pulledTower({ world: pulledWorld(SITES) }));
let origin: string;
const browser = browserPages();

/** Three sites of which search console answers nothing any more. */
beforeEach(async () => {
  await pulled.run("sense");
  const { simulators, clock } = pulled;
  simulators.script(
    { kind: "error", error: "internal" },
    { server: "searchConsole", from: clock.now(), to: clock.now() + 2 * HOUR },
  );
  await tick(1);
  pulled.tower.listen("tower", "ada");
  ({ origin } = pulled.tower);
});

async function tick(hours: number): Promise<void> {
  pulled.clock.advance(hours * HOUR);
  await pulled.run("sense");
  await pulled.tower.deps.follower.settle();
}

const open = (path: string, options: Opening = {}) => browser.open(`${origin}${path}`, options);

/** The cause that all sites share. */
const causeOf = (page: Page) =>
  page.locator("#needs tbody tr").filter({ hasText: "Search console, daily" }).locator("details");

test("on a phone without scripts a cause opens to its sites, and a site's integration is paused and resumed", async () => {
  const page = await open("/integrations", {
    scripts: false,
    hasTouch: true,
    width: 390,
  });
  await causeOf(page).locator("summary").tap();
  await page.locator("#needs").getByRole("link", { name: "ferry.example" }).tap();
  const row = page.locator("#capability-search-console-daily");
  expect(await row.textContent()).toContain("Failing");
  await row.getByText("Pause", { exact: false }).first().tap();
  await row.getByRole("button", { name: "Pause it" }).tap();
  await page.locator("#notice .callout").waitFor();
  expect(await row.textContent()).toContain("Paused");
  await row.getByRole("button", { name: "Resume" }).tap();
  await row.getByText("Failing").waitFor();
  expect(await page.locator("#notice").textContent()).not.toBe("");
});

test("on a phone the matrix lists what is not Working, and says how many sites have nothing of that; what is asked for is shown", async () => {
  const page = await open("/integrations/all", { width: 390 });
  expect(await page.locator("#matrix tbody tr:visible").count()).toBe(SITES.length);
  expect(await page.locator("#matrix tbody td:visible").getByText("Working", { exact: true }).count()).toBe(
    0,
  );
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
  await page.goto(`${origin}/integrations/all?state=working`);
  const working = page.locator("#matrix tbody td:visible").getByText("Working", { exact: true });
  expect(await working.count()).toBe(SITES.length);
});

test("on a middle width the matrix scrolls in a region of its own that keys reach, and the page does not", async () => {
  await pulled.run("webmaster-tools");
  const page = await open("/integrations/all", { width: 720 });
  const region = page.getByRole("region", { name: "Sites by capabilities" });
  await region.focus();
  const left = () => region.evaluate((element) => element.scrollLeft);
  expect(await left()).toBe(0);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => (document.querySelector("[role=region]")?.scrollLeft ?? 0) > 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(720);
  // As wide as every other search, not as its table.
  expect((await page.getByRole("search").boundingBox())?.width).toBeLessThanOrEqual(352);
});
