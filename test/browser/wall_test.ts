/** A Wall that is left alone: it renews itself, says at once when it cannot and comes back by itself. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { revokeToken } from "../../src/access/tokens.ts";
import { type Listening, listen } from "../../src/base/http_handler.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { launchBrowser } from "../support/browser.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";

const BY = { actor: "test", now: 0 };

const browser = shared(launchBrowser);
let ground: TestGround;
let service: TestTower;
let listening: Listening;
let link: Awaited<ReturnType<typeof makeKioskToken>>;

beforeEach(async () => {
  ground = await testGround();
  service = await testTower({ ground });
  listening = service.listen("tower");
  link = await makeKioskToken(service.deps, "hall", BY);
});
afterEach(async () => {
  await listening.stop(0);
  await service.close();
});

/** A screen that was opened with the link, under a clock of the test's own. */
async function screen(options: BrowserContextOptions = {}, query = ""): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, ...options });
  const page = await context.newPage();
  const now = service.deps.clock.now();
  await page.clock.install({ time: now - 1_000 });
  await page.clock.pauseAt(now);
  await page.goto(`${listening.url}/wall?link=${link.token}${query}`);
  return page;
}

/** So long passes on the screen as in the service. */
async function passes(page: Page, seconds: number): Promise<void> {
  service.deps.clock.advance(seconds * 1_000);
  await page.clock.runFor(seconds * 1_000);
}

/** An interval passes, and its answer comes. */
async function answered(page: Page): Promise<void> {
  const before = await page.evaluate(() => document.body.dataset["heard"]);
  await passes(page, 30);
  await page.waitForFunction((was) => document.body.dataset["heard"] !== was, before);
}

const stale = (page: Page) => page.locator("#lost");
const head = (page: Page) => page.locator(".wall-head h1");
const filterOf = (page: Page) => head(page).evaluate((list) => getComputedStyle(list).filter);

test("unplugged: within one interval it says that it is stale and since when, greys, and is itself again when the service is back", async () => {
  const page = await screen();
  const { port } = listening;
  await answered(page);
  expect(await stale(page).boundingBox()).toMatchObject({ height: 0 });
  const since = await page.locator(".age time").textContent();

  await listening.stop(0);
  await passes(page, 31);
  await page.waitForSelector("body[data-lost]");
  expect(await stale(page).textContent()).toBe(
    `This screen is stale. It has had no update since ${since} UTC. The service cannot be reached. The states shown are not current.`,
  );
  expect((await stale(page).boundingBox())?.height).toBeGreaterThan(80);
  expect(await filterOf(page)).toContain("grayscale");
  expect(await page.title()).toStartWith("Stale: no update since");
  expect(await page.getByRole("alert").count()).toBe(1);

  listening = listen(service.tower, "127.0.0.1", port);
  await passes(page, 31);
  await page.waitForSelector("body:not([data-lost])");
  expect(await stale(page).boundingBox()).toMatchObject({ height: 0 });
  expect(await filterOf(page)).toBe("none");
  await page.context().close();
});

test("what is unchanged is asked for by one conditional request an interval, and what is new is shown, also beside a browser extension's script", async () => {
  const page = await screen();
  await page.evaluate(() => {
    document.head.append(Object.assign(document.createElement("script"), { src: "/extension.js" }));
  });
  const answers: number[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname === "/wall") answers.push(response.status());
  });
  for (const _ of [1, 2, 3]) await answered(page);
  expect(answers).toEqual([200, 304, 304]);
  await passes(page, 4);
  expect(await page.locator(".age").textContent()).toEndWith("UTC, 4 s ago");
  await service.deps.writer.write((tx) => ensureAssets(tx, ["lantern"], BY));
  await passes(page, 30);
  await page.getByText("lantern").waitFor();
  await page.context().close();
});

test("a revoked link is said at the next refresh, and the address keeps no secret", async () => {
  const page = await screen({}, "&theme=dark");
  expect(page.url()).toBe(`${listening.url}/wall?theme=dark`);
  await revokeToken(service.deps.writer, service.deps.kioskTokens, link.id, BY);
  await passes(page, 31);
  await page.waitForSelector("body[data-lost]");
  expect(await stale(page).textContent()).toContain(
    "This screen is signed out: its link does not work any more.",
  );
  await page.context().close();
});

test("what a browser tells of a network that is gone is said at once", async () => {
  const page = await screen();
  await page.evaluate(() => dispatchEvent(new Event("offline")));
  expect(await stale(page).textContent()).toContain("This screen's computer has no network.");
  await page.context().close();
});

test("without its script it says by itself after 90 s that it is stale, motion reduced or not", async () => {
  const page = await screen({ javaScriptEnabled: false, reducedMotion: "reduce" });
  // Held still: a busy machine takes longer than the second that lies between the two moments.
  const at = (ms: number) =>
    page.evaluate((time) => {
      for (const animation of document.getAnimations()) {
        animation.pause();
        animation.currentTime = time;
      }
    }, ms);
  await at(89_000);
  expect([(await stale(page).boundingBox())?.height, await filterOf(page)]).toEqual([0, "none"]);
  await at(90_002);
  expect((await stale(page).boundingBox())?.height).toBeGreaterThan(80);
  expect(await stale(page).textContent()).toStartWith("This screen is stale. It has had no update since");
  expect(await filterOf(page)).toContain("grayscale");
  await page.context().close();
});

test("each answer gives it another 90 s, one that says that nothing is new, too", async () => {
  const page = await screen();
  const ageOf = () =>
    page.evaluate(() => Math.max(...document.getAnimations().map(({ currentTime }) => Number(currentTime))));
  await answered(page);
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.currentTime = 89_000;
  });
  expect(await ageOf()).toBeGreaterThanOrEqual(89_000);
  await answered(page);
  expect(await ageOf()).toBeLessThan(60_000);
  await page.context().close();
});
