/** The Codebase tab in a real browser: what a report says beside its numbers, with the longest texts that it may hold. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { type CodebaseReport, MEASURE_KEYS } from "../../src/reports/measures.ts";
import { browserPages, widerThan } from "../support/browser.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { acceptCodebase } from "../support/nightly.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

const LONG_PATH = `${"folder-with-a-long-name/".repeat(21)}x.ts`;
const LONG_NAME = "x".repeat(200);
const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));

/** A report in which every list is full and every text as long as it may be. */
const FULL: Partial<CodebaseReport> = {
  notes: Object.fromEntries(MEASURE_KEYS.map((key) => [key, `not parsed: ${LONG_PATH}`])),
  tools: { line_counter: "v".repeat(200), unused: "codemodules 1.0.0" },
  findings: {
    duplicates: many(20, (block) => ({
      lines: 40,
      files: many(10, (place) => ({ path: LONG_PATH, startLine: block + 1, lines: 40 - place })),
    })),
    unused: many(50, (index) => ({ kind: "export", path: LONG_PATH, name: LONG_NAME, line: index + 1 })),
  },
  dismissed: many(50, (index) => ({
    kind: "unused-export",
    path: LONG_PATH,
    name: LONG_NAME,
    reason: "r".repeat(200),
    count: index,
  })),
};

let ground: TestGround;
let service: TestTower;
let base: string;
const browser = browserPages();

beforeAll(async () => {
  ground = await testGround();
  service = await testTower({ ground, settings: PROXY });
  const sent: readonly (readonly [asset: string, generatedAt: string, more: Partial<CodebaseReport>])[] = [
    ["harbor", "2026-01-30T02:30:00Z", { findings: { unused: [], duplicates: [] } }],
    ["harbor", "2026-03-01T02:30:00Z", FULL],
    ["orchard", "2026-03-01T02:30:00Z", {}],
  ];
  for (const [asset, generatedAt, more] of sent) {
    const report = fullCodebaseReport({ asset, generatedAt, ...more });
    await acceptCodebase(ground, report);
  }
  base = service.listen("tower", "ada").url;
});
afterAll(async () => {
  await service.stop();
  ground.store.close();
});

test("the longest texts of a report stay inside the page at every width, all lists opened", async () => {
  const page = await browser.open(`${base}/sites/harbor/codebase`);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  for (const width of [390, 1_280]) {
    expect(await widerThan([width], page)).toEqual([]);
    const past = await page.evaluate(() =>
      [...document.querySelectorAll(":is(.columns, .figs) *")]
        .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    expect([width, past]).toEqual([width, []]);
    expect(await page.getByText(LONG_NAME).last().isVisible()).toBe(true);
  }
});
