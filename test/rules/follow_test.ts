import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import type { Pulse } from "../../src/reports/pulse.ts";
import type { FlowFollower } from "../../src/rules/rules.ts";
import { listVerdicts, sumTallies } from "../../src/rules/verdicts.ts";
import { openImage } from "../../src/store/store.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { accept, followerOn, sendNights } from "../support/nightly.ts";

const LAST = "2026-02-28" as UtcDay;
const day = (after: number): UtcDay => addDays(LAST, after);

let ground: TestGround;
let follower: FlowFollower;
beforeEach(async () => {
  ground = await testGround();
  follower = followerOn(ground);
});
afterEach(async () => {
  await follower.stop();
  ground.store.close();
});

const flags = (filter = {}) => listFlags(ground.store.db, { asset: "harbor", ...filter }, 500);
const openFlow = () => flags({ status: "open" }).map(({ rule, metric }) => `${rule} ${metric}`);

function send(after: number, metrics: Pulse["metrics"], asset = "harbor", receivedAt?: number) {
  return accept(ground, { asset, generatedAt: `${day(after)}T03:00:00Z`, metrics }, receivedAt);
}

const images = new Map<string, Uint8Array>();

/** Forty quiet days up to `LAST`, each with 20 of every metric: judged once per process, every test gets a copy. */
async function history(metrics: readonly string[] = ["signups"], count = 20): Promise<void> {
  const key = `${metrics} ${count}`;
  const image = images.get(key);
  if (image !== undefined) {
    ground.store.close();
    ground = await testGround(openImage(image));
    follower = followerOn(ground);
    return;
  }
  await sendNights(ground, "harbor", { last: LAST, days: 40 }, () => ({
    metrics: Object.fromEntries(metrics.map((metric) => [metric, { last24h: count }])),
  }));
  await follower.settle();
  images.set(key, ground.store.raw.serialize());
}

/** Flags of the flow test and percent-drop in the order raised, as "rule day". */
const raisedDays = () =>
  flags()
    .map((flag) => `${flag.rule} ${String(flag.rule_inputs?.["day"])}`)
    .sort();

describe("every accepted report is judged once, in the order of acceptance", () => {
  test("a burst is not collapsed: each of its readings raises and resolves its own flag", async () => {
    await history();
    const burst = [1, 2, 3].map((after) => send(after, { signups: { last24h: 0 } }));
    await Promise.all(burst);
    follower.kick();
    follower.kick();
    await follower.settle();
    expect(raisedDays()).toEqual([1, 2, 3].map((after) => `flow-drop ${day(after)}`));
    expect(openFlow()).toEqual(["flow-drop signups"]);
    expect(sumTallies(ground.store.db, "2020-01-01" as UtcDay)).toMatchObject({ raised: 3 });
  });

  test("a reading is judged on the history accepted before it, not on what arrived in the same burst", async () => {
    await history();
    const at = Date.parse(`${day(2)}T04:00:00Z`);
    await Promise.all([
      send(2, { signups: { last24h: 20 } }, "harbor", at),
      send(1, { signups: { last24h: 0 } }, "harbor", at),
    ]);
    await follower.settle();
    expect(openFlow()).toStrictEqual([]);
    expect(listVerdicts(ground.store.db, "harbor")[0]).toMatchObject({ date: day(2) });
  });
});

/** Nights that follow forty quiet ones, in the order in which they come; what they come to is recorded. */
type Night = readonly [after: number, metrics: Pulse["metrics"], receivedAfter?: number];
const orders = (after: number, total: number): Night => [after, { orders: { total } }];
const STORIES: Readonly<Record<string, readonly Night[]>> = {
  "a rise after a drop resolves the drop: a metric holds at most one open flow flag (spec, Volume-aware flow rules 7)":
    [
      [1, { signups: { last24h: 0 } }],
      [2, { signups: { last24h: 90 } }],
    ],
  "the flag of a metric the report does not carry stays open": [
    [1, { signups: { last24h: 0 }, searches: { last24h: 0 } }],
    [2, { searches: { last24h: 20 } }],
  ],
  "a first total passes nothing; the highest milestone between two readings is raised, info and resolved at once":
    [...[orders(0, 900), orders(1, 5_100)]],
  "a total that was corrected far down and passes other milestones on its way back raises none of them": [
    ...[orders(0, 900), orders(1, 60_000), orders(300, 1_500), orders(301, 30_000), orders(302, 70_000)],
    orders(303, 100_000),
  ],
  "a report for an older day passes no milestone": [
    ...[orders(-5, 900), orders(0, 900), orders(1, 950)],
    [-3, { orders: { total: 4_000 } }, 2],
  ],
  "a metric without last24h is not judged, and one absent for a night stops the test by its name": [
    [2, { signups: { last24h: 20 }, totals: { total: 5 } }],
    [8, { signups: { last24h: 20 } }],
  ],
};

test.each(Object.entries(STORIES))("%s; recorded", async (_, nights) => {
  await history();
  for (const [after, metrics, received] of nights)
    await send(after, metrics, "harbor", received && Date.parse(`${day(received)}T03:00:00Z`));
  await follower.settle();
  const told = flags().map(({ rule, metric, severity, kind, status, resolution, message }) =>
    [rule, metric, severity, kind, status, resolution, message].join(" | "),
  );
  const judged = listVerdicts(ground.store.db, "harbor").map(
    ({ metric, date, verdict: { flow } }) =>
      `${metric} ${date} ${flow.outcome === "tested" ? flow.fires : JSON.stringify(flow)}`,
  );
  expect({ told: told.sort(), judged: judged.sort() }).toMatchSnapshot();
});

describe("percent-drop", () => {
  test("speaks only where no flow flag is open", async () => {
    await history(["searches"], 1_000);
    await send(1, { searches: { last24h: 0 } });
    await follower.settle();
    expect(openFlow()).toEqual(["flow-drop searches"]);
  });

  test("raises where the flow test is quiet, above the minimum count alone", async () => {
    const wild = (scale: number) =>
      sendNights(ground, "harbor", { last: LAST, days: 97 }, (back) => ({
        metrics: { searches: { last24h: (back < 7 ? 0.45 : 1) * scale * (back % 2 === 0 ? 40 : 160) } },
      }));
    await wild(1);
    await follower.settle();
    expect(openFlow()).toEqual(["percent-drop searches"]);
    const { percentDrop } = listVerdicts(ground.store.db, "harbor")[0]?.verdict ?? {};
    expect(percentDrop).toMatchObject({ outcome: "tested", fires: true });
  });
});

test("freshness metrics of the service's own asset are judged by stale-ingest, not here", async () => {
  const own = followerOn(ground, { serviceAsset: "harbor" });
  await sendNights(ground, "harbor", { last: LAST, days: 40 }, () => ({
    metrics: { "freshness.orchard": { last24h: 1 }, "ingest.reports": { last24h: 9 } },
  }));
  await own.settle();
  expect(listVerdicts(ground.store.db, "harbor").map(({ metric }) => metric)).toEqual(["ingest.reports"]);
});
