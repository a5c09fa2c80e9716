/** The settings in a real browser under the served policy. Without scripts they are the same forms, which the recorded acts post. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendAudit } from "../../src/access/audit.ts";
import type { UtcDay } from "../../src/base/time.ts";
import { flowThresholds } from "../../src/sites/constants_store.ts";
import { askAnew, browserPages, type Opening } from "../support/browser.ts";
import { judgeNightly, sendNightly } from "../support/send_nightly.ts";
import { type World, world } from "../support/world.ts";

const TODAY = "2026-03-01" as UtcDay;

const browser = browserPages();
let site: World;
let origin: string;
beforeEach(async () => {
  site = await world();
  origin = site.listen("tower", "ada").url;
});
afterEach(() => site.close());

const open = (path: string, opening: Opening = {}) => browser.open(`${origin}${path}`, opening);

test("no page on which something is tried scrolls sideways or breaks the policy", async () => {
  const counts = (back: number) => (back === 0 ? 0 : back === 20 ? 19 : 40);
  await sendNightly(site.deps, "harbor", TODAY, 100, { signups: counts });
  await judgeNightly(site.deps, (asset, metric) =>
    flowThresholds(site.deps.constants.current().constants, asset, "pulse", metric),
  );
  const found: string[] = [];
  for (const width of [1440, 320]) {
    const page = await open("/settings", { width });
    for (const path of [
      "/settings/constants?from=1",
      "/sites/harbor/metrics/signups/tune?alpha=0.5",
      "/sites/harbor/codebase/tune?growth_percent=30",
    ]) {
      await page.goto(`${origin}${path}`);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (wide > 0) found.push(`${path} at ${width} px is ${wide} px too wide`);
      found.push(...browser.complaints.splice(0).map((error) => `${path}: ${error}`));
    }
  }
  expect(found).toStrictEqual([]);
});

test("what is to be set up stands below one rule, not two", async () => {
  const page = await open("/settings", { width: 1_440 });
  expect((await page.locator("#block-to-set-up thead").boundingBox())?.height).toBe(0);
  expect(await page.locator("#block-to-set-up tbody tr").count()).toBeGreaterThan(0);
});

test("headings that stand side by side have their rules on one line, with a button or without", async () => {
  const page = await open("/sites/harbor/settings", { width: 1_440 });
  const foot = (heading: string) =>
    page
      .locator(".block > :is(h2, header)", { hasText: heading })
      .first()
      .evaluate((head) => head.getBoundingClientRect().bottom);
  expect(await page.getByRole("button", { name: "Issue a token" }).isVisible()).toBe(true);
  expect(await foot("This site")).toBe(await foot("Tokens"));
});

describe("the audit", () => {
  const note = (act: string) =>
    site.deps.writer.write((tx): void =>
      appendAudit(tx, { at: site.deps.clock.now(), actor: "service", act, target: "x" }),
    );

  test("shows new acts by itself, and leaves what is typed, chosen and focused alone", async () => {
    const page = await open("/settings/audit");
    await page.fill("#target", "half-typed");
    await page.focus("#act");
    await page.keyboard.type("sign");
    await note("test.later");
    await askAnew(page);
    await page.waitForSelector("#acts tbody tr:first-child >> text=test.later");
    expect(await page.inputValue("#target")).toBe("half-typed");
    await page.keyboard.type("-in");
    expect(await page.inputValue("#act")).toBe("sign-in");
  });
});
