import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ensureAssets } from "../../../src/assets/mod.ts";
import { sendOwnPulse } from "../../../src/freshness/mod.ts";
import { addDays, type UtcDay } from "../../../src/lib/utc_day.ts";
import { type NightlyContext, readNightly } from "../../../src/tower/nightly/overview.ts";
import { type NightlyQuery, WHOLE_NIGHTLY } from "../../../src/tower/nightly/query.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { accept, declare, followerOn, sendNights } from "../../support/nightly.ts";

const LAST = "2026-03-01" as UtcDay;

let ground: TestGround;
let context: NightlyContext;

beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower", "ghost"], { actor: "test", now: 0 }));
  await declare(ground.writer, "harbor", ["signups", "uploads"]);
  await sendNights(ground, "harbor", { last: LAST, days: 45 }, (back) =>
    back === 3
      ? null
      : {
          metrics: {
            ...Object.fromEntries(
              Array.from({ length: 12 }, (_, index) => [
                `many.${String(index).padStart(2, "0")}`,
                { last24h: 1 },
              ]),
            ),
            signups: { last24h: back === 0 ? 0 : 20, avg7d: 19.5, total: 5_000 },
            ...(back > 20 ? { retired: { last24h: 4 } } : {}),
          },
        },
  );
  const follower = followerOn(ground);
  await follower.settle();
  await accept(ground, { asset: "orchard", generatedAt: "2026-02-20T03:00:00Z", metrics: {} });
  await sendOwnPulse({ ...ground, config: { serviceAsset: "tower" } });
  await follower.settle();
  await follower.stop();
  context = {
    db: ground.store.db,
    now: ground.clock.now(),
    serviceAsset: "tower",
    silentHoursOf: () => 26,
    annotationsOf: (asset, { from }) => ({
      marks: [{ date: from, kind: "deploy", words: asset }],
      newest: null,
    }),
  };
});
afterAll(() => ground.store.close());

const read = (query: Partial<NightlyQuery> = {}, asset = "harbor") =>
  readNightly(context, asset, { ...WHOLE_NIGHTLY, ...query });
const names = (query: Partial<NightlyQuery> = {}) => read(query).metrics.map(({ name }) => name);

describe("the metrics of an overview", () => {
  test("those with an open flag come first, those the latest report lacks last, eight a page", () => {
    expect(names()[0]).toBe("signups");
    expect(names()).toHaveLength(8);
    expect(names({ page: 2 }).at(-1)).toBe("retired");
    expect(read({ page: 9 }).query.page).toBe(2);
    expect(read().known).toBe(14);
  });

  test("are found by a part of their name, or chosen alone", () => {
    expect(names({ q: "MANY.0" })).toHaveLength(8);
    expect(names({ q: "tire" })).toEqual(["retired"]);
    expect(names({ metric: "many.03" })).toEqual(["many.03"]);
    expect(names({ metric: "many.0" })).toEqual([]);
    expect(names({ metric: "__proto__" })).toEqual([]);
  });

  test("a fallen metric shows its flag on the day it is about, and its proof", () => {
    const [signups] = read().metrics;
    expect(signups).toMatchObject({ flagged: true, figures: { last24h: 0, avg7d: 19.5, total: 5_000 } });
    expect(signups?.flags.map(({ date, severity }) => [date, severity])).toEqual([[LAST, "warn"]]);
    expect(signups?.verdict).toMatchObject({ state: "tested", fires: "drop", expected: "20", observed: "0" });
  });

  test("a metric that fell for several nights shows one flag, on the first of them", async () => {
    const own = await testGround();
    await sendNights(own, "harbor", { last: LAST, days: 45 }, (back) => ({
      metrics: { dead: { last24h: back < 5 ? 0 : 20 } },
    }));
    await followerOn(own).settle();
    const [dead] = readNightly({ ...context, db: own.store.db }, "harbor", WHOLE_NIGHTLY).metrics;
    expect(dead?.flags.map(({ date }) => date)).toEqual([addDays(LAST, -4)]);
    own.store.close();
  });

  test("a missed night is a missing day of every metric, and a retired metric is not in the latest report", () => {
    const [signups] = read({ range: 7 }).metrics;
    expect(signups?.points.map(({ state }) => state)).toEqual([
      "value",
      "value",
      "value",
      "missing",
      "value",
      "value",
      "value",
    ]);
    const [retired] = read({ metric: "retired" }).metrics;
    expect(retired?.verdict.words).toBe("Not tested: the latest report does not have it.");
  });
});

describe("the days of an overview", () => {
  test("range and last day come from the address; a step leads to the range before, and back", () => {
    const first = read({ range: 30 });
    expect(first.days).toEqual({ from: addDays(LAST, -29), to: LAST });
    expect(first.later).toBeNull();
    const earlier = read({ range: 30, until: first.earlier });
    expect(earlier.days.to).toBe(addDays(LAST, -30));
    expect(earlier.earlier).toBeNull();
    expect(earlier.later).toBe(LAST);
  });

  test("annotations are those of the days shown", () => {
    expect(read({ range: 7 }).annotations.marks).toEqual([
      { date: addDays(LAST, -6), kind: "deploy", words: "harbor" },
    ]);
  });
});

describe("the summary", () => {
  test("names the missed night, and the family that was declared but is missing", () => {
    const { missed, families, latest } = read().summary;
    expect(missed).toEqual({ missed: 1, of: 7 });
    expect(families.filter(({ state }) => state === "missing").map(({ family }) => family)).toEqual([
      "uploads",
    ]);
    expect(latest).toMatchObject({ date: LAST, revision: 1 });
  });

  test("a site without any report has none, and nothing is missing from it", () => {
    expect(read({}, "ghost")).toMatchObject({
      known: 0,
      metrics: [],
      summary: { latest: undefined, families: [] },
    });
  });
});

describe("the service's own asset", () => {
  test("shows the ingest freshness of every other site, the silent ones first", () => {
    const { service } = read({}, "tower");
    expect(service?.sites.map(({ asset, state }) => [asset, state])).toEqual([
      ["orchard", "silent"],
      ["harbor", "fresh"],
      ["ghost", "waiting"],
    ]);
    expect(read().service).toBeNull();
  });

  test("says of each freshness metric that stale-ingest judges it", () => {
    const { metrics } = read({}, "tower");
    const words = metrics
      .filter(({ name }) => name.startsWith("freshness."))
      .map(({ verdict }) => verdict.words);
    expect(words).toEqual(Array(2).fill("Not tested: stale-ingest judges this metric."));
  });
});
