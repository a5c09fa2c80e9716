/** A page that is read while reports arrive: all of its numbers are new and agree, and the reader is where they were. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { formatInstant, utcDayOf } from "../../src/base/time.ts";
import type { NewFlag } from "../../src/flags/flags.ts";
import { inboxTally, openIn, tallySites } from "../../src/flags/inbox.ts";
import { appendAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { askAnew, browserPages, refreshed, steadyRoutes } from "../support/browser.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { accept, declare, sendNights, wavering } from "../support/nightly.ts";
import { type World, world } from "../support/world.ts";

const DAY_MS = 86_400_000;
const SITES = Array.from({ length: 60 }, (_, index) => `site-${String(index).padStart(2, "0")}`);

// A refresh that is cut off on purpose is noted by the browser.
const browser = browserPages((text) => !text.includes("Failed to load resource"));
let site: World;
let base: string;
let raised = 0;

const raise = (changes: Partial<NewFlag>) => {
  const id = `raised-${raised++}`;
  return site.raise(id, { subject: id, message: `Flag ${id}.`, ...changes });
};

const annotate = (ref: string, at: number) =>
  site.writer.write((tx): void => {
    const by = { name: "ci", now: site.clock.now(), newId: site.ids.uuid };
    const note = "what was changed, and why it was. ".repeat(20);
    appendAnnotation(tx, { asset: "harbor", at: formatInstant(at), kind: "deploy", ref, note }, by);
  });

async function measured(days: number): Promise<void> {
  const report = fullCodebaseReport({ generatedAt: formatInstant(site.clock.now() - days * DAY_MS) });
  expect((await site.report("/api/codebase-report", report)).status).toBe(201);
}

beforeAll(async () => {
  site = await world();
  const { writer, clock } = site;
  await writer.write((tx) => ensureAssets(tx, SITES, { actor: "test", now: clock.now() }));
  await declare(writer, "harbor", ["signups"]);
  const last = utcDayOf(clock.now() - DAY_MS);
  await sendNights(site, "harbor", { last, days: 30 }, (back) => ({
    metrics: {
      signups: { last24h: wavering(20, back), total: 5_000 },
      uploads: { last24h: wavering(9, back) },
    },
  }));
  await site.deps.follower.settle();
  for (const days of [35, 2]) await measured(days);
  for (const asset of ["harbor", "harbor", "harbor", ...SITES.slice(10, 40)]) await raise({ asset });
  for (let index = 0; index < 30; index++) await annotate(`v${index}`, clock.now() - (index + 1) * 3_600_000);
  base = site.listen("tower", "ada").url;
});

afterAll(() => site.close());

const open = (path: string) => browser.open(new URL(path, base).href);

/** What arrives: it stands above whatever is read, on each of the pages. */
async function arrive(): Promise<void> {
  site.clock.advance(60_000);
  await accept(
    site,
    {
      asset: "harbor",
      generatedAt: formatInstant(site.clock.now() - 5_000),
      metrics: { signups: { last24h: 21, total: 5_021 } },
    },
    site.clock.now(),
  );
  await measured(0);
  await site.deps.follower.settle();
  await raise({ asset: "site-59", severity: "error" });
  await raise({ asset: "harbor", severity: "error", rule: "codebase-duplication" });
  await annotate(`later-${raised}`, site.clock.now() - 1_000);
}

/** Every number of open flags that the page shows. */
const openNumbers = (page: Page) =>
  page.evaluate(() => {
    const words = document.body.textContent ?? "";
    const chip = [...document.querySelectorAll(".chips a")].find((link) =>
      /^Open/.test(link.textContent ?? ""),
    );
    const found = [
      document.querySelector("#nav .count")?.firstChild?.textContent,
      /(\d+) flags are open on/.exec(words)?.[1],
      /(\d+) open on \d+ sites/.exec(words)?.[1],
      chip?.querySelector("b")?.textContent,
    ];
    return found.flatMap((text) => (text === undefined || text === null ? [] : [Number(text)]));
  });

const openFlags = () => openIn(inboxTally(tallySites(site.store.db, site.clock.now()).values()));

describe.each([
  ["/", "#site-site-30 a"],
  ["/flags", "#flags-list li:nth-child(20) a"],
  ["/sites/harbor", "#figures tbody tr:last-child a"],
  ["/timeline", "ol.log li:nth-child(2) summary"],
  ["/sites/harbor/codebase", "table tbody tr:nth-child(5)"],
])("%s", (path, read) => {
  test("shows what arrived in all of its numbers, and leaves the reader where they were", async () => {
    const page = await open(path);
    await page.evaluate((selector) => {
      for (const details of document.querySelectorAll<HTMLDetailsElement>("#main details"))
        details.open = true;
      const seen = document.querySelector<HTMLElement>(selector);
      seen?.scrollIntoView({ block: "center" });
      seen?.focus({ preventScroll: true });
      Object.assign(window, { seen, opened: [...document.querySelectorAll("#main details")] });
    }, read);
    const standing = () =>
      page.evaluate(() => {
        const { seen, opened } = window as unknown as { seen: HTMLElement; opened: HTMLDetailsElement[] };
        return {
          words: seen.textContent?.replace(/just now|\d+ min ago/, ""),
          top: seen.getBoundingClientRect().top,
          isFocused: document.activeElement === seen,
          shut: opened.filter((details) => details.isConnected && !details.open).length,
          scrolled: window.scrollY,
          title: document.title,
          readAt: document.querySelector("#read-at time")?.textContent,
        };
      });
    const before = await standing();
    expect(before.scrolled).toBeGreaterThan(0);
    expect(new Set(await openNumbers(page))).toEqual(new Set([openFlags()]));

    await arrive();
    await refreshed(page);

    const after = await standing();
    expect(new Set(await openNumbers(page))).toEqual(new Set([openFlags()]));
    expect(after.readAt).toBe(formatInstant(site.clock.now()).slice(11, 19));
    expect([after.words, after.isFocused, after.shut]).toEqual([before.words, before.isFocused, 0]);
    expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(1);
  });
});

test("the title, the table and the day's rule are of the same moment as the sentence", async () => {
  const page = await open("/flags");
  const errors = () => page.title().then((title) => Number(/^(\d+) error/.exec(title)?.[1]));
  const before = await errors();
  await arrive();
  await refreshed(page);
  expect(await errors()).toBe(before + 2);
  expect(await page.locator("#flags-list a[data-sev=error]").count()).toBe(before + 2);
});

test("a row that left by itself gives the focus to no other that takes acts, and what is ticked stays", async () => {
  const page = await open("/flags");
  await page.locator("#flags-list li:nth-child(12) input[type=checkbox]").check();
  const ticked = await page.locator("#flags-list li:nth-child(12)").getAttribute("id");
  const gone =
    (await page.locator("#flags-list li:nth-child(10)").getAttribute("id"))?.slice("row-".length) ?? "";
  await page.locator(`#open-${gone}`).focus();
  await page.request.post(new URL(`/flags/${gone}/resolution`, base).href, {
    headers: { origin: new URL(base).origin },
  });
  await refreshed(page);
  expect(await page.locator(`#row-${gone}`).count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("flags-bulk");
  expect(await page.locator(`#${ticked} input[type=checkbox]`).isChecked()).toBe(true);
});

test("a selection, an open menu and a half-typed search stay", async () => {
  const page = await open("/");
  await page.setViewportSize({ width: 390, height: 700 });
  await page.fill("#q", "half a wo");
  await page.click("text=Menu");
  await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector("h1") as Node));
  await arrive();
  await refreshed(page);
  expect(await page.inputValue("#q")).toBe("half a wo");
  expect(await page.evaluate(() => getSelection()?.toString())).toContain("need attention");
  expect(await page.evaluate(() => document.querySelector("#nav:popover-open") !== null)).toBe(true);
});

test("an answer that breaks off is not taken for the page, nor for what it was asked about next", async () => {
  const page = await open("/sites/harbor");
  await steadyRoutes(page);
  await page.reload();
  const rows = await page.locator("#main tr").count();
  const [refreshes, cut] = [(url: URL) => url.pathname === "/sites/harbor", { now: true }];
  await page.route(refreshes, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: cut.now ? text.slice(0, text.indexOf("<table")) : text });
  });
  await askAnew(page);
  await page.getByText("the answer was cut off").waitFor();
  expect(await page.locator("#main tr").count()).toBe(rows);
  cut.now = false;
  await refreshed(page);
  expect(await page.locator("#read-at").textContent()).not.toContain("cut off");
});

test("what is asked for while an answer is under way is asked after it, and shows what came meanwhile", async () => {
  const page = await open("/flags");
  await steadyRoutes(page);
  await page.reload();
  const before = await page.title();
  const [answered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    (url) => url.pathname === "/flags",
    async (route) => {
      const response = await route.fetch();
      answered.resolve();
      await goOn.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await askAnew(page);
  await answered.promise;
  await raise({ asset: "site-58", severity: "error" });
  const done = refreshed(page);
  await page.evaluate(() => undefined);
  goOn.resolve();
  await done;
  expect(await page.title()).not.toBe(before);
});
