/** Four months of provider figures as they come in life: unfinished days, late data, an outage, and falls that were planted. */

import { expect, test } from "bun:test";
import { addDays, dayNumber, daysBetween, startOfDay, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { sumTallies } from "../../src/rules/verdicts.ts";
import { awaitSignalJudging } from "../../src/signals/answer_record.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { testGround } from "../support/deps.ts";
import { followerOn } from "../support/nightly.ts";
import { randomCount, seeded } from "../support/random_counts.ts";
import { plantSignal, told } from "../support/signals.ts";

const FIRST = "2025-09-01" as UtcDay;
const HISTORY = 97;
const SEASON = 120;
/** Days from a day's end until it is settled. */
const SETTLES = 3;
const WEEK = [0.7, 1.15, 1.15, 1.1, 1.1, 1, 0.8];
/** Days of the season on which the provider does not answer. */
const OUTAGE = [50, 51];

/** A figure with the share of its usual count that is left of it from a day of the season on, for some days. */
interface Figure {
  readonly asset: string;
  readonly metric: string;
  readonly mean: number;
  readonly fall?: { readonly from: number; readonly days: number; readonly left: number };
}

const FIGURES: readonly Figure[] = [
  { asset: "shop", metric: "sessions", mean: 60 },
  { asset: "shop", metric: "page_views", mean: 300 },
  { asset: "shop", metric: "active_users", mean: 20, fall: { from: 80, days: 3, left: 0 } },
  { asset: "shop", metric: "event_count", mean: 1_000, fall: { from: 30, days: 7, left: 0.5 } },
  { asset: "blog", metric: "sessions", mean: 8, fall: { from: 95, days: 4, left: 0 } },
  { asset: "blog", metric: "page_views", mean: 25 },
  { asset: "blog", metric: "active_users", mean: 6 },
  { asset: "blog", metric: "event_count", mean: 90, fall: { from: 60, days: 5, left: 0.3 } },
];

const placeOf = (day: unknown) => daysBetween(FIRST, day as UtcDay) - HISTORY;

test("only settled days raise flags, every planted fall is found as it settles, an outage says nothing, and chance stays chance", async () => {
  const ground = await testGround();
  const follower = followerOn(ground);
  const random = seeded(5);
  const counts = FIGURES.map(({ mean, fall }) =>
    Array.from({ length: HISTORY + SEASON }, (_, place) => {
      const day = place - HISTORY;
      const isDown = fall !== undefined && day >= fall.from && day < fall.from + fall.days;
      return randomCount(random, mean * (WEEK[place % 7] ?? 1) * (isDown ? fall.left : 1), 2);
    }),
  );
  const isLate = counts.map((days) => days.map(() => random() < 0.05));
  /** A day as its provider tells it so many days after. */
  const toldOf = (figure: number, place: number, age: number) => {
    const count = counts[figure]?.[place] ?? 0;
    if (age < SETTLES) return told(Math.round(count * ([0.4, 0.85, 0.97][age] ?? 1)), "provisional");
    return told(age === SETTLES && isLate[figure]?.[place] === true ? Math.floor(count * 0.97) : count);
  };
  await ground.writer.write((tx) => {
    ensureAssets(tx, ["shop", "blog"], { actor: "test", now: 0 });
  });
  const flags = () => listFlags(ground.store.db, {}, 500);
  for (let day = 0; day < SEASON; day++) {
    const today = HISTORY + day;
    ground.clock.at(`${addDays(FIRST, today)}T09:00:00Z`);
    const before = OUTAGE.includes(day) ? flags() : undefined;
    if (before === undefined) {
      await ground.writer.write((tx) => {
        for (const [place, { asset, metric }] of FIGURES.entries()) {
          const from = day === 0 ? 0 : today - 8;
          const days = Array.from({ length: today - from + 1 }, (_, at) => {
            return [addDays(FIRST, from + at), toldOf(place, from + at, today - from - at)] as const;
          });
          plantSignal(tx, { asset, source: "analytics", metric }, days);
        }
        for (const asset of ["shop", "blog"]) awaitSignalJudging(tx, asset, "analytics");
      });
    }
    await follower.settle();
    if (before !== undefined) expect(flags()).toEqual(before);
  }
  await follower.stop();

  const raised = flags();
  const ageOf = ({ raised_at, rule_inputs }: FlagRow) =>
    dayNumber(utcDayOf(Date.parse(raised_at))) - dayNumber(rule_inputs?.["day"] as UtcDay);
  expect(raised.filter((flag) => ageOf(flag) < SETTLES)).toEqual([]);

  const of = ({ asset, metric }: Figure) =>
    raised.filter((flag) => flag.asset === asset && flag.metric === metric);
  const isDown = (flag: FlagRow) => flag.rule !== "flow-rise";
  const found = FIGURES.flatMap((figure) => {
    if (figure.fall === undefined) return [];
    const { from, days } = figure.fall;
    const first = of(figure)
      .filter(isDown)
      .map(({ rule_inputs }) => placeOf(rule_inputs?.["day"]))
      .filter((place) => place >= from && place < from + days)
      .sort((one, other) => one - other)[0];
    return [[figure.metric, first === undefined ? "missed" : first - from]];
  });
  expect(found).toEqual([
    ["active_users", 0],
    ["event_count", 0],
    ["sessions", 0],
    ["event_count", 0],
  ]);

  const quiet = FIGURES.filter(({ fall }) => fall === undefined);
  const chance = quiet.flatMap(of);
  const judged = quiet.length * SEASON;
  expect(chance.filter(isDown).length / judged).toBeLessThan(0.02);
  expect(chance.filter((flag) => !isDown(flag)).length / judged).toBeLessThan(0.02);
  const { tests, notTested } = sumTallies(ground.store.db, utcDayOf(startOfDay(FIRST)));
  // The days of the outage are judged after it, each once.
  expect(tests + notTested).toBe(FIGURES.length * SEASON);
  ground.store.close();
});
