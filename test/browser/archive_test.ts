/** The page of the archive in a browser: on a wide page, on a phone, by keyboard and without scripts. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { recordReport } from "../../src/archive/manifest.ts";
import { dayNumber, utcDayOf } from "../../src/base/time.ts";
import { HARBOR_PAGES, objectNumbered, reportOf } from "../support/archive.ts";
import { browserPages, type Opening, refreshed, steadyRoutes } from "../support/browser.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

let service: TestTower;
const browser = browserPages();

/** Four weeks of one report of two sites, one of which failed on a day. */
beforeAll(async () => {
  service = await testTower({ settings: PROXY });
  service.listen("tower", "ada");
  const { writer, clock } = service.deps;
  const today = dayNumber(utcDayOf(clock.now()));
  for (let back = 28; back >= 2; back--) {
    for (const [place, asset] of ["harbor.example", "orchard.example"].entries()) {
      const isFailed = back === 3 && place === 1;
      const object = isFailed ? null : objectNumbered(back * 2 + place);
      const attemptedAt = clock.now() - back * 86_400_000 + place;
      const changes = { target: { ...HARBOR_PAGES, asset }, date: today - back, attemptedAt, object };
      const failure = isFailed ? ({ outcome: "failed", category: "network", complete: false } as const) : {};
      await writer.write((tx) => recordReport(tx, reportOf({ ...changes, ...failure })));
    }
  }
});
afterAll(async () => {
  await service.close();
});

const open = (path: string, options: Opening) =>
  browser.open(`${service.origin}${path}`, { ...options, before: steadyRoutes });
const WIDE = { width: 1440 };
const PHONE = { width: 390, hasTouch: true };
const wider = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const cells = (page: Page) => page.locator("#report-page td");

test("a cell leads to its attempts by keyboard, an attempt to its page, and that to its bytes; a refresh keeps the place", async () => {
  const page = await open("/archive", WIDE);
  expect(await wider(page)).toBeLessThanOrEqual(0);
  const failed = page.getByRole("link", { name: /Pages in search: 1 failed \(network\), 1 stored/ });
  await failed.focus();
  await refreshed(page);
  expect(await failed.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.waitForURL(/family=page&outcome=failed&date=2026-02-26#attempts/);
  expect(await page.locator("#attempts tbody tr").count()).toBe(1);
  await page.locator("#attempts tbody a").first().click();
  await page.waitForURL(/\/archive\/reports\/\d+$/);
  expect(await page.locator("h1").textContent()).toBe("Pages in search, 26 Feb");
});

test("the dates stand above the first row, also below the band of the demo", async () => {
  const page = await open("/archive", WIDE);
  const rows = await page
    .locator(".scroll table")
    .first()
    .evaluate((table) => {
      document.body.style.setProperty("--top", "1.75rem");
      return [...table.querySelectorAll("tr")].slice(0, 4).map((row) => {
        const { top, bottom } = (row.lastElementChild ?? row).getBoundingClientRect();
        return { top, bottom };
      });
    });
  expect(rows).toHaveLength(4);
  for (const [place, { top }] of rows.slice(1).entries())
    expect(Math.round(top)).toBeGreaterThanOrEqual(Math.round(rows[place]?.bottom ?? 0));
});

/** Has the part about runs ask for itself, as it does while one is under way. */
const asksForItself = (page: Page) =>
  page.evaluate(() => {
    const part = document.querySelector<HTMLElement>("#archive-run");
    Object.assign(part?.dataset ?? {}, { every: "1", ask: "/archive?part=run" });
  });

test("once a run is over the page follows its part: nothing beside its outcome is of before", async () => {
  const page = await open("/archive", WIDE);
  const asked = page.waitForRequest(/\/archive$/);
  await asksForItself(page);
  await asked;
});

test("a part that cannot be renewed is said on the page, which shows a run as under way until then", async () => {
  const page = await open("/archive", WIDE);
  await page.route(/\/archive/, (route) => route.abort());
  await asksForItself(page);
  await page.waitForSelector("#read-at[data-lost]");
  expect(await page.locator("#read-at").textContent()).toContain("connection lost");
  await page.unroute(/\/archive/);
  await page.waitForSelector("#read-at:not([data-lost])");
  browser.complaints.splice(0);
});

test("a phone shows the last week of it", async () => {
  const page = await open("/archive", PHONE);
  const shown = await cells(page).evaluateAll((all) => all.filter((cell) => cell.checkVisibility()).length);
  expect(shown).toBe(7);
});
