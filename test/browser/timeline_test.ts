import { beforeEach, describe, expect, test } from "bun:test";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { browserPages } from "../support/browser.ts";
import { fresh } from "../support/fresh.ts";
import { newFlag } from "../support/make/flag.ts";
import { timelineTower } from "../tower/timeline/tower.ts";

const browser = browserPages();
const tower = fresh(timelineTower);
let url: string;

beforeEach(() => {
  ({ url } = tower.listen("tower", "ada"));
});

const open = (path: string) => browser.open(`${url}${path}`);

/** The same by plain forms: `tower/acts_test.ts`. */
test("an annotation is added by the form, told of once, and added no second time", async () => {
  const page = await open("/timeline");
  for (const told of ["Added to the timeline.", "It was there already"]) {
    await page.getByText("Add an annotation", { exact: true }).click();
    await page.getByRole("radio", { name: "Incident" }).check();
    await page.getByLabel("Site", { exact: true }).first().selectOption("harbor");
    await page.getByLabel("When, UTC").fill("2026-11-19T10:30:00");
    await page.getByLabel("Reference").fill("inc-31");
    await page.getByLabel("Note (optional)").fill("Origin unreachable\nfor 3 h");
    await page.getByRole("button", { name: "Add to the timeline" }).click();
    await page.getByText(told).waitFor();
  }
  await page.waitForLoadState();
  expect(tower.stored()).toBe(1);
  const entry = page.locator("ol.log > li");
  expect(await entry.count()).toBe(1);
  expect(await entry.locator("> :not(details)").allTextContents()).toEqual([
    "10:30",
    "I",
    "harbor",
    "inc-31Origin unreachablefor 3 h",
    "ada, entered 20 Nov 14:02",
  ]);
  await entry.locator("summary").click();
  await page.getByLabel("Why (optional)").fill("the wrong site");
  await page.getByRole("button", { name: "Mark as mistake" }).click();
  await page.getByText("Marked as a mistake.").waitFor();
  expect(await page.locator("ol.log > .struck").textContent()).toContain("the wrong site");
  await page.getByRole("button", { name: "Put back" }).click();
  await page.getByText("No longer marked as a mistake.").waitFor();
});

describe("the Timeline", () => {
  const raise = (asset: string, message: string) =>
    tower.writer.write((tx): void => {
      insertOpenFlag(tx, "raised", newFlag({ rule: null, asset, message }), tower.clock.now(), "site");
    });

  test("what a flag says in several lines begins beside its time and its site", async () => {
    await raise("harbor", "It was said at length. ".repeat(20));
    const page = await open("/timeline");
    for (const width of [1_440, 1_100, 1_000, 800]) {
      await page.setViewportSize({ width, height: 800 });
      const tops = await page.locator(".flag-entry > time, .flag-entry a").evaluateAll((parts) =>
        parts.map((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return Math.round(range.getClientRects()[0]?.top ?? -1);
        }),
      );
      expect((await page.locator(".flag-entry > div").last().boundingBox())?.height).toBeGreaterThan(40);
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThanOrEqual(2);
    }
  });
});
