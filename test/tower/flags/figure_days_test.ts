/** The chart of a flag: the days around what it judged as they stand when it is read, or its figure of the code. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { listFlags } from "../../../src/flags/queries.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { attribute, byId, elements, tagged, textOf } from "../../support/html.ts";
import { accept, judgeAll, sendNights } from "../../support/nightly.ts";
import { pullSignals, told } from "../../support/signals.ts";
import { world } from "../../support/world.ts";

const LAST = "2026-02-26" as UtcDay;
const SEARCH = { asset: "harbor", source: "search-console" } as const;

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
});
afterEach(() => ground.store.close());

async function judged(): Promise<void> {
  await judgeAll(ground);
}

const flagOf = (rule: string) => {
  const found = listFlags(ground.store.db, { asset: "harbor" }, 9).find((flag) => flag.rule === rule);
  if (found === undefined) throw new Error(`no flag of ${rule} was raised`);
  return found;
};

/** What the chart of a flag says: each day in words, how many bars have a colour, and what stands below it. */
async function figureOf(rule: string) {
  const site = await world({ ground });
  const tree = byId(await site.open(`/flags/${flagOf(rule).id}`), "flag");
  await site.stop();
  const [figure] = tagged(tree, "figure");
  if (figure === undefined) throw new Error("nothing is drawn");
  const bars = (name: string) =>
    elements(figure, (one) => one.tagName === "path" && attribute(one, "class") === name)
      .map((path) => (attribute(path, "d") ?? "").split("M").length - 1)
      .filter((count) => count > 1 || name === "seen")[0] ?? 0;
  return {
    days: tagged(figure, "title").map(textOf),
    seen: bars("seen"),
    compared: bars("v"),
    text: textOf(figure),
    links: tagged(figure, "a").map((link) => attribute(link, "href")),
  };
}

test("is of the sent metric where a provider tells one of its name, on the days that they are shown on", async () => {
  await sendNights(ground, "harbor", { last: LAST, days: 40 }, () => ({
    metrics: { clicks: { last24h: 30 } },
  }));
  await pullSignals(ground, SEARCH, { last: LAST, days: 40 }, { clicks: () => told(50) });
  await accept(ground, {
    asset: "harbor",
    generatedAt: `${addDays(LAST, 1)}T03:00:00Z`,
    metrics: { clicks: { last24h: 0 } },
  });
  await judged();
  const { days, text } = await figureOf("flow-drop");
  expect(days.filter((words) => /^2[56] Feb/.test(words)).map((words) => words.split(",")[0])).toEqual([
    "25 Feb 30",
    "26 Feb 0",
  ]);
  expect(text).not.toContain("when judged");
});
