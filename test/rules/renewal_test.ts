/** Nights as they come: a report a day, judged by the real follower under a clock that goes on. */

import { beforeEach, expect, test } from "bun:test";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { listChainedFlags } from "../../src/flags/queries.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { accept, followerOn, sendNights } from "../support/nightly.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const LAST = "2026-02-28" as UtcDay;

const ground = fresh(testGround, expectWholeFlags);
beforeEach(async () => {
  await sendNights(ground, "harbor", { last: LAST, days: 60 }, (back) => ({
    metrics: { signups: { last24h: 20 + (back % 3) } },
  }));
  await followerOn(ground).settle();
});

async function night(after: number, count: number) {
  const day = addDays(LAST, after);
  ground.clock.advance(startOfDay(day) + 3 * 3_600_000 - ground.clock.now());
  await accept(ground, {
    asset: "harbor",
    generatedAt: `${day}T03:00:00Z`,
    metrics: { signups: { last24h: count } },
  });
  await followerOn(ground).settle();
}

const flags = () => listChainedFlags(ground.store.db, { asset: "harbor" }, 99);
const openFlag = () => flags().find(({ status }) => status === "open");

test("a reading that ends a flag and cannot be tested does not say that the condition is over: a later one goes on with it", async () => {
  for (const after of [1, 2, 4, 5, 6, 7, 8]) await night(after, 20 + (after % 3));
  await night(9, 0);
  const { id } = openFlag() ?? {};
  // 3 March is missing, which the test of the 10th needs.
  await night(10, 20);
  const first = flags().find((flag) => flag.id === id);
  expect(first).toMatchObject({ status: "resolved", resolution: "next_reading" });
  await night(11, 0);
  expect(openFlag()).toMatchObject({ renews: id });
});

test("a reading that is tested and no longer improbable does", async () => {
  await night(1, 0);
  await night(2, 20);
  expect(flags()[0]).toMatchObject({ status: "resolved", resolution: "cleared" });
});
