/** The chart of a flag: the days around what it judged as they stand when it is read, or its figure of the code. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { listFlags } from "../../../src/flags/queries.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { attribute, byId, elements, tagged, textOf } from "../../support/html.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { accept, acceptCodebase, judgeAll, sendNights } from "../../support/nightly.ts";
import { MISSING_DAY, plantSignal, pullSignals, told } from "../../support/signals.ts";
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

test("has each day with its state, the judged one in its colour, the compared ones dark, and what it held when judged", async () => {
  await pullSignals(
    ground,
    SEARCH,
    { last: addDays(LAST, 2), days: 100 },
    {
      clicks: (back) =>
        back < 2
          ? told(11, "provisional")
          : back === 12
            ? MISSING_DAY
            : back === 20
              ? told(90, "excluded")
              : told(back === 2 ? 3 : 50),
    },
  );
  await judged();
  await ground.writer.write((tx) => plantSignal(tx, { ...SEARCH, metric: "clicks" }, [[LAST, told(48)]]));
  const { days, seen, compared, text, links } = await figureOf("flow-drop");
  const of = (day: string) => days.find((words) => words.startsWith(`${day} `));
  expect(of("26 Feb")).toStartWith("26 Feb 48, expected ");
  expect(of("16 Feb")).toStartWith("16 Feb no data, expected ");
  expect(of("8 Feb")).toStartWith("8 Feb 90, ignored by rules");
  expect(of("27 Feb")).toStartWith("27 Feb 11, not final yet");
  expect([seen, compared]).toEqual([1, 4]);
  expect(text).toContain("3 when judged, 48 now.");
  expect(links).toContain("/sites/harbor/metric?source=search-console&metric=clicks");
});

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

test("of a change that lasts has both months", async () => {
  await pullSignals(
    ground,
    SEARCH,
    { last: LAST, days: 100 },
    { clicks: (back) => told(back < 28 ? 200 : 500) },
  );
  await judged();
  const { seen, compared } = await figureOf("flow-decline");
  expect([seen, compared]).toEqual([28, 28]);
});

test("of a codebase rule is the figure that it judges, report by report, with the flag on its report", async () => {
  for (const [back, code_lines] of [
    [40, 1_000],
    [30, 1_000],
    [0, 2_000],
  ] as const) {
    const report = codebaseReport({
      generatedAt: `${addDays(LAST, -back)}T05:00:00Z`,
      measures: { code_lines },
    });
    await acceptCodebase(ground, report);
  }
  const { days } = await figureOf("codebase-growth");
  expect(days.slice(0, 3)).toEqual(["17 Jan 1,000", "27 Jan 1,000", "26 Feb 2,000"]);
  expect(days).toContain("The code grew 100% in 30 days (1000 -> 2000 lines).");
});
