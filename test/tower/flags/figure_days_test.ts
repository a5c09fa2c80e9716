/** The days around what a flag judged of a metric, as they stand when the flag is read. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { listFlags } from "../../../src/flags/queries.ts";
import { readFigureDays } from "../../../src/tower/flags/figure.tsx";
import { flagsShown } from "../../../src/tower/shown_days.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { accept, followerOn, sendNights } from "../../support/nightly.ts";
import { MISSING_DAY, plantSignal, pullSignals, told } from "../../support/signals.ts";

const LAST = "2026-02-26" as UtcDay;
const SEARCH = { asset: "harbor", source: "search-console" } as const;

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
});
afterEach(() => ground.store.close());

async function judged(): Promise<void> {
  const follower = followerOn(ground);
  await follower.settle();
  await follower.stop();
}

const flag = () => {
  const [row] = listFlags(ground.store.db, { asset: "harbor" }, 1);
  if (row === undefined) throw new Error("no flag was raised");
  return row;
};

test("are told with their states, the judged day with what it held then, and the newest final day", async () => {
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
  const figure = readFigureDays(ground.store.db, flag(), ground.clock.now());
  expect(figure).toMatchObject({
    judged: { from: LAST, to: LAST, count: 3 },
    line: { value: 50, words: "50 expected" },
    finalTo: LAST,
    cohort: [7, 14, 21, 28].map((back) => ({ from: addDays(LAST, -back), count: 50 })),
  });
  const days = new Map(figure?.days.map((day) => [day.day, day]));
  expect(figure?.days).toHaveLength(38);
  expect(days.get(LAST)).toEqual({ day: LAST, state: "final", value: 48 });
  expect(days.get(addDays(LAST, -10))).toEqual({ day: addDays(LAST, -10), state: "missing", value: null });
  expect(days.get(addDays(LAST, -18))).toMatchObject({ state: "excluded", value: 90 });
  expect(days.get(addDays(LAST, 2))).toMatchObject({ state: "provisional", value: 11 });
});

test("are those of the sent metric where a provider tells one of its name, on the days that they are shown on", async () => {
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
  expect(flag().source).toBe("pulse");
  const shown = flagsShown(ground.store.db)(flag());
  const figure = readFigureDays(ground.store.db, shown, ground.clock.now());
  expect(figure).toMatchObject({
    judged: { from: LAST, to: LAST, count: 0 },
    line: { value: 30, words: "30 expected" },
    finalTo: LAST,
  });
  expect(figure?.days.slice(-2)).toMatchObject([
    { day: addDays(LAST, -1), value: 30 },
    { day: LAST, value: 0 },
  ]);
});

test("of a change that lasts both months are drawn, and the level before", async () => {
  await pullSignals(
    ground,
    SEARCH,
    { last: LAST, days: 100 },
    { clicks: (back) => told(back < 28 ? 200 : 500) },
  );
  await judged();
  const lasting = listFlags(ground.store.db, { asset: "harbor" }, 9).find(
    ({ rule }) => rule === "flow-decline",
  );
  if (lasting === undefined) throw new Error("no lasting flag was raised");
  const figure = readFigureDays(ground.store.db, lasting, ground.clock.now());
  expect(figure).toMatchObject({
    judged: { from: addDays(LAST, -27), to: LAST },
    cohort: [{ from: addDays(LAST, -55), to: addDays(LAST, -28) }],
    line: { value: 500, words: "500 before" },
  });
});
