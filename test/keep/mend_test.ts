import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { holdOpen, release } from "../../src/flags/reconcile.ts";
import { checkEverything, compareModel, mendModel, READ_MODELS } from "../../src/keep/keep.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { openImage } from "../../src/store/store.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { accept, followerOn, sendNights, wavering } from "../support/nightly.ts";
import { plantDay, storedDays } from "../support/series.ts";
import { words } from "../support/words.ts";

const SIGNUPS = { asset: "harbor", metric: "signups" };
const ADA = { name: "ada", id: "operator:ada" };

const LAST = "2026-02-28" as UtcDay;
const HELD = {
  rule: "asset-pull-failed",
  asset: "harbor",
  subject: "",
  severity: "error",
  kind: "anomaly",
  inputs: { n: 1 },
  reading: { n: 1 },
} as const;

/** Two sites with 70 judged nights, and a flag with every kind of record: made once, every test gets a copy. */
async function seed(): Promise<Uint8Array> {
  const seeded = await testGround();
  for (const asset of ["harbor", "orchard"]) {
    await sendNights(seeded, asset, { last: LAST, days: 70 }, (back) => ({
      metrics: {
        signups: { last24h: wavering(40, back), avg7d: 40.5 },
        visits: { last24h: 3, total: 1_000 - back },
      },
    }));
  }
  await followerOn(seeded).settle();
  const now = seeded.clock.now();
  await seeded.writer.write((tx) => {
    const run = { ...HELD, newId: seeded.ids.uuid };
    const { id } = holdOpen(tx, { ...run, message: "failed once", now });
    holdOpen(tx, { ...run, message: "failed again", now: now + 1 });
    performAct(tx, "acknowledge", { id, by: ADA, now: now + 2 });
    performAct(tx, "snooze", { id, by: ADA, now: now + 3, until: now + 90_000_000 });
  });
  const bytes = seeded.store.raw.serialize();
  seeded.store.close();
  return bytes;
}

let seeded: Uint8Array;
beforeAll(async () => {
  seeded = await seed();
});

test("every table that is made of others is a model", () => {
  expect(READ_MODELS.map(({ name }) => name)).toEqual(
    words(`
    flags snoozes readings freshness signals names series archive archive-standing archive-counts
    archive-runs insights monitoring
  `),
  );
});

let ground: TestGround;
beforeEach(async () => {
  const copy = await testGround(openImage(seeded));
  let count = 0;
  // Other ids than those of the seed, which are in the copy already.
  ground = { ...copy, ids: { ...copy.ids, uuid: () => `later-${++count}` } };
});
afterEach(() => ground.store.close());

async function differing(): Promise<Record<string, string[]>> {
  const found: [string, string[]][] = [];
  for (const model of READ_MODELS) {
    const texts = (await compareModel(model, ground.store.db)).map(({ text }) => text);
    if (texts.length > 0) found.push([model.name, texts]);
  }
  return Object.fromEntries(found);
}

const READ_MODEL_TABLES = ["flag", "flag_snooze", "series", "series_block", "pulse_freshness"];
/** What the read models say: numbers of series are given anew. */
const image = () => [
  ...["flag", "flag_snooze", "pulse_freshness"].map((table) =>
    ground.store.raw
      .query(`SELECT * FROM ${table}`)
      .all()
      .map((row) => JSON.stringify(row))
      .sort(),
  ),
  ...["harbor", "orchard", "ghost"].map((asset) => storedDays(ground.store, asset)),
];

async function rebuildAll() {
  const left: string[] = [];
  for (const model of READ_MODELS)
    left.push(...(await mendModel(model, ground)).left.map(({ text }) => text));
  return left;
}

describe("read models are what they are made of (decisions 4: rebuild and compare)", () => {
  test("after reports, runs and acts nothing differs, and rebuilding writes nothing", async () => {
    const before = ground.store.raw.query("SELECT total_changes() AS n").get();
    expect(await differing()).toEqual({});
    expect(await rebuildAll()).toStrictEqual([]);
    expect(ground.store.raw.query("SELECT total_changes() AS n").get()).toEqual(before);
  });

  const planted: readonly (readonly [what: string, model: string, plant: string | (() => void)])[] = [
    ["a flag's message", "flags", "UPDATE flag SET message = 'other' WHERE rule = 'asset-pull-failed'"],
    ["a flag that is lost", "flags", "DELETE FROM flag WHERE rule = 'asset-pull-failed'"],
    [
      "a flag without records",
      "flags",
      "INSERT INTO flag (id, asset, subject, origin, severity, kind, message, status, raised_at) VALUES ('x', 'harbor', '', 'rule', 'warn', 'anomaly', 'm', 'open', 1)",
    ],
    ["a snooze's end", "snoozes", "UPDATE flag_snooze SET until = until + 1"],
    ["who set a snooze", "snoozes", "UPDATE flag_snooze SET set_by = 'operator:ben'"],
    ["a snooze that is lost", "snoozes", "DELETE FROM flag_snooze"],
    [
      "a snooze nobody set",
      "snoozes",
      "INSERT INTO flag_snooze VALUES ('r', 'harbor', '', '', 5, 1, 'operator:ada')",
    ],
    [
      "a reading",
      "readings",
      () => plantDay(ground.store, { ...SIGNUPS, asset: "orchard", date: "2026-02-01" }, { last24h: 99 }),
    ],
    [
      "a reading that is lost",
      "readings",
      () => plantDay(ground.store, { asset: "harbor", metric: "visits", date: "2026-01-15" }),
    ],
    [
      "a total",
      "readings",
      () =>
        plantDay(
          ground.store,
          { asset: "harbor", metric: "visits", date: "2026-02-02" },
          { last24h: 3, total: 1 },
        ),
    ],
    [
      "a reading on a day without a report",
      "readings",
      () => plantDay(ground.store, { ...SIGNUPS, asset: "ghost", date: "2024-01-01" }, { last24h: 5 }),
    ],
    ["days that are damaged", "readings", "UPDATE series_block SET days = x'0501' WHERE place % 2 = 0"],
    [
      "days of a series that stands in no list",
      "series",
      "INSERT INTO series_block VALUES (999999999, x'050107')",
    ],
    [
      "a metric that changed its name",
      "readings",
      "UPDATE series SET metric = 'signupt' WHERE metric = 'signups'",
    ],
    ["a metric that is lost", "readings", "DELETE FROM series WHERE metric = 'signups'"],
    ["when a metric was last heard of", "names", "UPDATE series SET last_day = 20000 WHERE asset = 'harbor'"],
    ["a last report", "freshness", "UPDATE pulse_freshness SET received_at = 5 WHERE asset = 'harbor'"],
    [
      "a site that never reported",
      "freshness",
      "INSERT INTO pulse_freshness (asset, received_at) VALUES ('ghost', 5)",
    ],
    ["a last report that is lost", "freshness", "DELETE FROM pulse_freshness"],
  ];
  for (const [what, model, plant] of planted) {
    test(`${what} is found, and put right by rebuilding`, async () => {
      const before = image();
      if (typeof plant === "string") ground.store.raw.run(plant);
      else plant();
      expect(Object.keys(await differing())).toContain(model);
      expect(checkEverything(ground.store).flatMap(({ faults }) => faults)).not.toStrictEqual([]);
      expect(await rebuildAll()).toStrictEqual([]);
      expect(image()).toEqual(before);
      expect(checkEverything(ground.store).flatMap(({ faults }) => faults)).toStrictEqual([]);
    });
  }

  test("every read model lost at once comes back whole", async () => {
    const before = image();
    for (const table of READ_MODEL_TABLES) ground.store.raw.run(`DELETE FROM ${table}`);
    expect(await rebuildAll()).toStrictEqual([]);
    expect(image()).toEqual(before);
  });

  test("two flags that changed places are put right, though only one may be open for a rule", async () => {
    await ground.writer.write((tx) => {
      release(tx, { ...HELD, now: ground.clock.now() });
      holdOpen(tx, { ...HELD, message: "failed anew", now: ground.clock.now(), newId: () => "second" });
    });
    const before = image();
    ground.store.raw.run("UPDATE flag SET status = 'resolved' WHERE id = 'second'");
    ground.store.raw.run(
      "UPDATE flag SET status = 'open' WHERE rule = 'asset-pull-failed' AND id <> 'second'",
    );
    expect(await rebuildAll()).toStrictEqual([]);
    expect(image()).toEqual(before);
  });

  test("records that lead to two open flags of one rule are refused, and nothing is changed", async () => {
    await ground.writer.write((tx) => {
      ground.store.raw.run("UPDATE flag SET status = 'resolved' WHERE rule = 'asset-pull-failed'");
      holdOpen(tx, { ...HELD, message: "failed anew", now: ground.clock.now(), newId: () => "second" });
    });
    const before = image();
    await expect(rebuildAll()).rejects.toThrow();
    expect(image()).toEqual(before);
  });

  test("a flag whose records do not begin with its raising stays as it is, and is named", async () => {
    ground.store.raw.run(
      "INSERT INTO flag_record (flag, at, type, actor, data) VALUES ('odd', 1, 'resolved', 'rule', '{}')",
    );
    expect(await rebuildAll()).toEqual(["flag odd has records that do not begin with its raising"]);
  });

  test("a report that is accepted and not judged yet is no difference, before and after its readings are in place", async () => {
    await accept(ground, {
      asset: "harbor",
      generatedAt: "2026-03-01T03:00:00Z",
      metrics: { signups: { last24h: 7 } },
    });
    await accept(ground, {
      asset: "harbor",
      generatedAt: "2026-02-28T04:00:00Z",
      metrics: { signups: { last24h: 8 } },
    });
    expect(await differing()).toEqual({});
    plantDay(ground.store, { ...SIGNUPS, date: "2026-03-01" }, { last24h: 7 });
    expect(await differing()).toEqual({});
    plantDay(ground.store, { ...SIGNUPS, date: "2026-02-28" }, { last24h: 8 });
    plantDay(ground.store, { asset: "harbor", metric: "visits", date: "2026-02-28" });
    expect(await differing()).toEqual({});
    expect(await rebuildAll()).toStrictEqual([]);
    const follower = followerOn(ground);
    await follower.settle();
    expect(await differing()).toEqual({});
  });

  test("the readings of the first and of the last day there is are those of their reports", async () => {
    for (const day of ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"]) {
      await accept(ground, {
        asset: "harbor",
        generatedAt: `${day}T03:00:00Z`,
        metrics: { signups: { last24h: 7 } },
      });
    }
    await followerOn(ground).settle();
    expect(await differing()).toEqual({});
  });

  test("a zero that was sent with a sign is a zero, also while its report waits to be judged", async () => {
    const generatedAt = "2026-03-01T03:00:00Z";
    const body = `{"asset":"harbor","generatedAt":"${generatedAt}","metrics":{"signups":{"last24h":-0,"total":-0}}}`;
    const report = { asset: "harbor", generatedAt, metrics: { signups: { last24h: 0, total: 0 } } };
    const receivedAt = Date.parse(generatedAt);
    await ground.writer.write((tx) => acceptPulse(tx, { report, body, receivedAt, newId: ground.ids.uuid }));
    plantDay(ground.store, { ...SIGNUPS, date: "2026-03-01" }, report.metrics.signups);
    expect(await differing()).toEqual({});
  });
});
