import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findFlag } from "../../src/flags/queries.ts";
import { readHistory } from "../../src/flags/store.ts";
import { askAnew, browserPages, htmxReady } from "../support/browser.ts";
import { flagFaults } from "../support/read_models.ts";
import { type World, world } from "../support/world.ts";

// The browser itself notes every 4xx answer; a refused act is one.
const browser = browserPages((text) => !text.includes("status of 4"));
let site: World;
let base: string;

beforeEach(async () => {
  site = await world();
  await site.raise("one", { severity: "error", message: "The first flag." });
  await site.raise("two", { severity: "warn", subject: "2", message: "The second flag." });
  await site.raise("three", { severity: "info", subject: "3", message: "The third flag." });
  site.clock.advance(3_600_000);
  base = site.listen("tower", "ada").url;
});
afterEach(async () => {
  expect(site.lines.filter(({ level }) => level === "error")).toStrictEqual([]);
  expect(flagFaults(site.store.db)).toStrictEqual([]);
  await site.close();
});

async function open(path: string, options: { readonly width?: number } = {}) {
  const page = await browser.open(`${base}${path}`, options);
  await htmxReady(page);
  return page;
}

const stored = (id = "one") => findFlag(site.store.db, id);
const loads = async (page: Page) => {
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  return () => page.evaluate(() => "stayed" in window);
};

/** Does something, over which the page stays. */
async function staying(page: Page, act: () => Promise<void>): Promise<void> {
  const stayed = await loads(page);
  await act();
  expect(await stayed()).toBe(true);
}

/** The same by plain forms: `tower/flags/routes_test.ts`. */
describe("with htmx", () => {
  test("a double click resolves once; only notes can be made then, until it is raised again", async () => {
    const page = await open("/flags/one");
    await staying(page, async () => {
      await page.locator("#act-resolve summary").click();
      await page.locator("#act-resolve form button").dblclick();
      await page.locator("#flag").getByText("Resolved by hand.").first().waitFor();
    });
    expect(stored()).toMatchObject({ status: "resolved", resolution: "operator" });
    expect(readHistory(site.store.db, "one", 9).acts).toHaveLength(2);
    expect(await page.locator("#flag-ack").count()).toBe(0);
    await page.locator("#act-hypothesis").waitFor();
    await page.getByRole("button", { name: "Raise again" }).click();
    await page.locator("#flags-told").getByText("Raised again.").waitFor();
    await page.locator("#flag-ack").waitFor();
    expect(stored()?.status).toBe("resolved");
    await page.getByRole("link", { name: "Open 3" }).waitFor();
  });
});

describe("keyboard only", () => {
  test("j and k move, o opens, a acknowledges, s opens the snooze form and the focus follows", async () => {
    const page = await open("/flags");
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press("j");
    expect(await focused()).toBe("open-one");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await focused()).toBe("open-two");
    const stayed = await loads(page);
    await page.keyboard.press("o");
    await page.locator("#flag").getByRole("heading", { name: "The second flag." }).waitFor();
    expect(page.url()).toBe(`${base}/flags/two`);
    expect(await stayed()).toBe(true);
    expect(await focused()).toBe("open-two");
    await page.keyboard.press("k");
    expect(await focused()).toBe("open-one");
    await page.locator("#flag").getByRole("heading", { name: "The first flag." }).waitFor();
    await page.keyboard.press("a");
    await page.getByText("Acknowledged.").waitFor();
    expect([stored("one")?.acked_by, stored("two")?.acked_by]).toEqual(["ada", null]);
    expect(await focused()).toBe("open-two");
    await page.locator("#flag").getByRole("heading", { name: "The second flag." }).waitFor();
    await page.locator("#flag-heading").click();
    await page.keyboard.press("s");
    expect(await focused()).toBe("snooze-until");
    await page.keyboard.press("Enter");
    await page.getByText("Snoozed.").waitFor();
    expect(await focused()).toBe("flag-heading");
    expect(stored("two")?.snoozed_until).toBe("2026-03-08T13:00:00.000Z");
  });

  test("i and h open the form of the opened flag, and letters typed there are text", async () => {
    const page = await open("/flags/one");
    await page.keyboard.press("h");
    await page.keyboard.type("a his tory of jokes");
    await page.keyboard.press("Escape");
    expect(await page.locator("#act-hypothesis").getAttribute("open")).toBeNull();
    expect(await page.locator("#act-hypothesis > summary:focus").count()).toBe(1);
    await page.keyboard.press("h");
    await page.locator("#hypothesis-text:focus").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".noted").waitFor();
    expect(stored()).toMatchObject({ hypothesis: "a his tory of jokes", acked_by: null });
  });
});

describe("the live list", () => {
  test("an opened flag never refreshes under the reader", async () => {
    const page = await open("/flags/one");
    await page.locator("#act-incident summary").click();
    await page.locator("#incident-text").fill("half a sen");
    await site.ask("/flags/one/acknowledgement", { as: "ben", method: "PUT" });
    await askAnew(page);
    await page.locator("#row-one").getByText("acknowledged by ben").waitFor();
    expect(await page.locator("#flag").getByText("Acknowledged by").count()).toBe(0);
    expect(await page.locator("#incident-text").inputValue()).toBe("half a sen");
    expect(await page.locator("#open-one").getAttribute("aria-current")).toBe("true");
    await page.getByRole("link", { name: "Changed since" }).click();
    await page.locator("#flag").getByText("Acknowledged by ben").waitFor();
  });
});

test("on a phone an opened flag takes the list's place, and the way back is there", async () => {
  const page = await open("/flags", { width: 390 });
  await page.locator("#open-three").click();
  await page.locator("#flag").waitFor();
  expect(await page.locator("#flags-list").isVisible()).toBe(false);
  await page.getByRole("link", { name: "← All flags" }).click();
  await page.locator("#open-three").waitFor();
});

test("what an opened flag folds away does not lie on what stands above it", async () => {
  const page = await open("/flags/two");
  const folds = await page
    .locator("#flag > .fold, #flag .stack > .fold")
    .evaluateAll((all) => all.map((fold) => fold.getBoundingClientRect().toJSON()));
  expect(folds.length).toBeGreaterThan(1);
  for (const [place, { top }] of folds.slice(1).entries())
    expect(top).toBeGreaterThanOrEqual(folds[place].bottom);
});

test("the form of every act stands below the acts, inside its article, at every width", async () => {
  const page = await open("/flags/two");
  const acts = page.locator(".acts details");
  for (const width of [390, 700, 1150, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    for (let place = 0; place < (await acts.count()); place += 1) {
      await acts.nth(place).locator("summary").click();
      const spot = await acts.nth(place).evaluate((act) => {
        const box = (found: Element | null) => found?.getBoundingClientRect() ?? new DOMRect();
        const [form, button, article] = [
          act.querySelector("form"),
          act.querySelector("summary"),
          act.closest("article"),
        ].map((found) => box(found));
        return {
          below: (form?.top ?? 0) >= (button?.bottom ?? 0),
          inside: (form?.left ?? -1) >= (article?.left ?? 0) && (form?.right ?? 1) <= (article?.right ?? 0),
        };
      });
      expect({ width, place, ...spot }).toEqual({ width, place, below: true, inside: true });
      await acts.nth(place).locator("summary").click();
    }
  }
});
