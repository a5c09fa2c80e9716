/** The Wall on screens of every shape: all of it is in sight, and nothing is cut off. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { renderDocument } from "../../src/tower/jsx/jsx-runtime.ts";
import { WallPage, wallAddress } from "../../src/tower/sites/wall.tsx";
import { readStatic } from "../../src/tower/tower.tsx";
import { launchBrowser } from "../support/browser.ts";
import { shared } from "../support/fresh.ts";
import { inPage, NOW, shellOf } from "../support/tower_data.ts";
import { manySites, wallFacts } from "../support/wall_facts.ts";

const SCREENS = [
  [1920, 1080],
  [3840, 2160],
  [1080, 1920],
  [1366, 768],
  [1280, 1024],
  [1024, 768],
] as const;

const files = readStatic(join(import.meta.dir, "../../public"));
const shell = shellOf({ addressOf: files.url });

/** All that a Wall may have to say beside its tiles. */
const TROUBLED = {
  group: "Customers of the northern branch",
  observedAt: NOW - 60_000,
  besides: 1,
  coverage: { state: "partial", reason: "3 parts have no observer." },
  monitoring: [
    { kind: "job", asset: "", source: "", subject: "sense", reason: "It did not run.", since: NOW, count: 1 },
  ],
} as unknown as Parameters<typeof wallFacts>[1];

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const file = files.find(pathname);
    if (file !== undefined) return new Response(file.body, { headers: { "content-type": file.type } });
    const sites = manySites(Number(searchParams.get("sites")), NOW);
    const facts = wallFacts(sites, searchParams.has("troubled") ? TROUBLED : {});
    const html = renderDocument(
      inPage(() => <WallPage facts={facts} query={wallAddress.read(searchParams)} isOperator />, shell),
    );
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
});

const browser = shared(launchBrowser);
let page: Page;
beforeAll(async () => {
  page = await browser.newPage({ reducedMotion: "reduce" });
  // No interval passes: what is measured is what was answered.
  await page.clock.install({ time: NOW - 1_000 });
  await page.clock.pauseAt(NOW);
});
afterAll(() => server.stop(true));

const show = (query: string) => page.goto(`${server.url}wall?${query}`);

/** What of the Wall that is shown is beyond a screen or cut off there, and how many tiles stand on it. */
async function measured([width, height]: readonly [number, number]) {
  await page.setViewportSize({ width, height });
  const found = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const beyond: string[] = [];
    if (scrollWidth > innerWidth || scrollHeight > innerHeight)
      beyond.push(`scrolls: ${scrollWidth} x ${scrollHeight}`);
    const seen = (element: Element) => element.getBoundingClientRect().height > 0;
    const parts = [...document.querySelectorAll("body > :not(svg.vh), .wall-head *, .wall-foot *")].filter(
      seen,
    );
    for (const part of parts) {
      const { bottom, right } = part.getBoundingClientRect();
      if (part.closest(".vh") === null && (bottom > innerHeight + 1 || right > innerWidth + 1))
        beyond.push(`${part.className} ends at ${right} x ${bottom}`);
    }
    const tiles = [...document.querySelectorAll(".tiles li")].filter(seen);
    const main = document.querySelector("main")?.getBoundingClientRect();
    for (const tile of tiles) {
      const { top, bottom, height } = tile.getBoundingClientRect();
      const [content] = tile.children;
      const inner = [...(content?.children ?? [])].map((line) => line.getBoundingClientRect());
      const isCut =
        main === undefined ||
        bottom > main.bottom + 1 ||
        height < 20 ||
        inner.some((line) => line.top < top - 1 || line.bottom > bottom + 1);
      if (isCut) beyond.push(`${tile.textContent} is cut off: ${height} px`);
    }
    const name = tiles[0]?.querySelector("b");
    const names = tiles.flatMap((tile) => tile.querySelector("b") ?? []);
    return {
      beyond,
      shortened: names
        .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
        .map((one) => one.textContent),
      tiles: tiles.length,
      type: name ? Number.parseFloat(getComputedStyle(name).fontSize) : 0,
    };
  });
  return found;
}

test.each([
  [12, 12],
  [60, 60],
  // Those that need somebody, and one tile for the others.
  [1_000, 30],
])(
  "%d sites on each screen: what is read from across a room is as large as that allows, else its names are whole",
  async (sites, shown) => {
    await show(`sites=${sites}`);
    for (const [place, screen] of SCREENS.entries()) {
      const { shortened, type, ...found } = await measured(screen);
      expect({ screen, ...found }).toEqual({ screen, beyond: [], tiles: shown });
      if (place > 0) continue;
      if (sites <= 60) expect(type).toBeGreaterThan(sites === 12 ? 35 : 22);
      else expect(shortened.filter(({ length }) => length <= 40)).toStrictEqual([]);
    }
  },
);

test("a Wall that has much to say, and is stale", async () => {
  await show("sites=200&troubled=1");
  await page.evaluate(() => dispatchEvent(new Event("offline")));
  for (const screen of SCREENS.slice(0, 3)) expect(await measured(screen)).toMatchObject({ beyond: [] });
});

test("in the hand it is a list, without a scroll to the side, and its foot stands below the last site", async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  for (const sites of [13, 60]) {
    await page.goto(`${server.url}wall?sites=${sites}`);
    const { width, high, foot, last } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      high: document.documentElement.scrollHeight > innerHeight,
      foot: document.querySelector(".wall-foot")?.getBoundingClientRect().top ?? 0,
      last: document.querySelector("#tiles li:last-child")?.getBoundingClientRect().bottom ?? 0,
    }));
    expect([width, high]).toEqual([360, true]);
    expect(foot).toBeGreaterThanOrEqual(last);
  }
});
