import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { addDays, formatInstant, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { sendOwnPulse } from "../../src/rules/freshness.ts";
import { type Annotation, appendAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { askAnew, browserPages } from "../support/browser.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { newFlag } from "../support/make/flag.ts";
import { pulse } from "../support/make/pulse.ts";
import { accept, declare, judgeAll, sendNights, wavering } from "../support/nightly.ts";
import { type World, world } from "../support/world.ts";

const LAST = "2026-03-01" as UtcDay;

const browser = browserPages();
let ground: TestGround;
let site: World;
let base: string;

beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
  await declare(ground.writer, "harbor", ["signups", "uploads"]);
  await sendNights(ground, "harbor", { last: LAST, days: 60 }, (back) =>
    back === 4
      ? null
      : {
          metrics: {
            signups: { last24h: back === 0 ? 1 : wavering(20, back), avg7d: 19.5, total: 5_000 },
            ...Object.fromEntries(
              Array.from({ length: 18 }, (_, index) => [`many.${index}`, { last24h: wavering(9, back) }]),
            ),
          },
        },
  );
  await sendOwnPulse(ground);
  await judgeAll(ground);
  const at = formatInstant(startOfDay(addDays(LAST, -9)));
  const deploy: Annotation = { asset: "harbor", at, kind: "deploy", ref: "v4.1.0" };
  const by = { name: "ci", now: ground.clock.now(), newId: ground.ids.uuid };
  await ground.writer.write((tx) => void appendAnnotation(tx, deploy, by));
  site = await world({ ground });
  base = site.listen("tower", "ada").url;
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});
afterEach(async () => {
  expect(site.lines.filter(({ level }) => level === "error")).toStrictEqual([]);
});

const open = (path: string, options: { readonly scripts?: boolean; readonly width?: number } = {}) =>
  browser.open(`${base}${path}`, options);

const told = (page: Awaited<ReturnType<typeof open>>) =>
  page.locator("[data-day-read]").textContent() as Promise<string>;
const DAY = "[data-days] > a";

describe("a day is read out of all charts at once", () => {
  test("by key: arrows go on from the newest day, a refresh keeps the day, Enter opens it", async () => {
    const page = await open("/sites/harbor?range=7");
    await page.locator(`${DAY}[tabindex='0'], ${DAY}:not([tabindex])`).focus();
    await page.keyboard.press("ArrowLeft");
    // The report of 1 March was made early that day, and is shown on the day before.
    expect(await told(page)).toMatch(/^28 Feb\nsignups: 1, expected \d+–\d+/);
    await page.keyboard.press("ArrowLeft");
    expect(await told(page)).toStartWith("27 Feb\n");
    await page.keyboard.press("Home");
    expect(await told(page)).toStartWith("23 Feb");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("ArrowLeft");
    await accept(
      ground,
      pulse({ generatedAt: "2026-03-01T06:00:00Z", metrics: { signups: { last24h: 3 } } }),
    );
    await askAnew(page);
    await page.locator('#heard a[href$="/reports/2026-03-01/2"]').first().waitFor();
    expect(await told(page)).toStartWith("28 Feb");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("day-2026-02-28");
    await page.keyboard.press("Escape");
    expect(await told(page)).toBe("");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sites/harbor?from=2026-02-28&to=2026-02-28");
  });

  test("by pointer; changes of the day have their time here and in UTC", async () => {
    const page = await browser.open(`${base}/sites/harbor/metric?metric=signups&range=28`, {
      timezoneId: "Europe/Berlin",
    });
    await page.locator("#day-2026-02-20").hover();
    expect(await told(page)).toMatch(/^20 Feb\n\d+, .*\nDeploy 01:00 \(00:00 UTC\): v4\.1\.0$/s);
    await page.mouse.move(5, 5);
    expect(await told(page)).toBe("");
  });

  test("days of one's own choice are asked for without moving a chart, at every width", async () => {
    const page = await open("/sites/harbor");
    for (const width of [1_440, 1_024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const top = async () => (await page.locator(".lanes").first().boundingBox())?.y;
      const before = await top();
      await page.getByText("Custom range").click();
      expect(await top()).toBe(before);
      const form = await page.locator(".otherdays form").boundingBox();
      expect(form?.x).toBeGreaterThanOrEqual(0);
      expect((form?.x ?? width) + (form?.width ?? width)).toBeLessThanOrEqual(width);
      await page.keyboard.press("Escape");
      expect(await page.locator(".otherdays form").isVisible()).toBe(false);
    }
    await page.getByText("Custom range").click();
    await page.getByLabel("From", { exact: true }).fill("2026-02-12");
    await page.getByLabel("To", { exact: true }).fill("2026-02-14");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL("**from=2026-02-12&to=2026-02-14**");
  });

  test("dragging over days shows these alone, and a click still opens one", async () => {
    const page = await open("/sites/harbor/metric?metric=signups&range=28");
    const middle = async (day: string) => {
      const box = await page.locator(`#day-${day}`).boundingBox();
      if (box === null) throw new Error(`${day} is not shown`);
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    await page.mouse.move(...(await middle("2026-02-10")));
    await page.mouse.down();
    await page.mouse.move(...(await middle("2026-02-14")));
    await page.mouse.up();
    await page.waitForURL("**from=2026-02-10&to=2026-02-14");
    expect(await page.locator(DAY).count()).toBe(5);
    await page.locator("#day-2026-02-12").click();
    await page.waitForURL("**/sites/harbor?from=2026-02-12&to=2026-02-12");
  });

  test("by finger: a tap reads it, a second one opens it", async () => {
    const page = await browser.open(`${base}/sites/harbor?range=7`, {
      width: 390,
      hasTouch: true,
      isMobile: true,
    });
    await page.locator("#day-2026-02-25").tap({ position: { x: 8, y: 120 } });
    // A tap is told to the page after the finger has left.
    await page.locator("[data-day-read]", { hasText: "25 Feb" }).waitFor();
    await page.locator("#day-2026-02-25").tap({ position: { x: 8, y: 120 } });
    await page.waitForURL("**/sites/harbor?from=2026-02-25&to=2026-02-25");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("without scripts a point is a link to its day", async () => {
    const page = await open("/sites/harbor?range=7", { scripts: false });
    await page.locator("#day-2026-02-26").click({ position: { x: 20, y: 100 } });
    await page.waitForURL("**/sites/harbor?from=2026-02-26&to=2026-02-26");
    await page.getByRole("link", { name: "signups", exact: true }).first().waitFor();
  });
});

test("what a site's sentence leads to is written as large as the sentence", async () => {
  const silence = newFlag({ asset: "tower", rule: "stale-ingest", subject: "harbor", severity: "error" });
  await ground.writer.write((tx) => insertOpenFlag(tx, "silence", silence, ground.clock.now(), "rule"));
  const page = await open("/sites/harbor");
  const sizeOf = (selector: string) =>
    page.locator(selector).evaluate((part) => getComputedStyle(part).fontSize);
  expect(await sizeOf("#standing a[href='/flags/silence']")).toBe(await sizeOf("#standing"));
});
