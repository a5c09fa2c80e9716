/** The database of 0.2, whose readings stood one to a row with their texts, opened by a release that keeps series. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkEverything } from "../../src/check/mod.ts";
import { migrateStore, openStore, type Store } from "../../src/db/mod.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { listMetricNames } from "../../src/pulse/mod.ts";
import { readingsBetween } from "../../src/pulse/reading_store.ts";
import { compareModel, READ_MODELS } from "../../src/rebuild/mod.ts";
import { testGround } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { asOfLevel } from "../support/landed.ts";
import { accept, followerOn, sendNights, wavering } from "../support/nightly.ts";

/** Migrations of that release. */
const LEVEL = 6;
const LAST = "2026-02-28" as UtcDay;
const EVER = { from: -719_528, to: 2_932_896 };
const MOST = Number.MAX_SAFE_INTEGER;

/** Where the readings stand. */
const LEFT = `SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name IN ('pulse_metric', 'pulse_reading', 'series', 'series_block') ORDER BY name)`;

interface Row {
  readonly asset: string;
  readonly metric: string;
  readonly date: string;
  readonly last24h: number | null;
  readonly total: number | null;
}

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const landed = join(folder.path, "landed.db");
let rows: Row[];

beforeAll(async () => {
  const source = join(folder.path, "source.db");
  const ground = await testGround();
  const odd = [0, 1, 255, 256, 65_535, 65_536, 16_777_216, 2 ** 32, 2 ** 40, 2 ** 48, MOST - 1, MOST];
  for (const asset of ["harbor", "orchard"]) {
    await sendNights(ground, asset, { last: LAST, days: 300 }, (back) => ({
      metrics: {
        signups: { last24h: wavering(40, back), avg7d: 40.5 },
        'ä "quoted" ’name': back % 3 === 0 ? { total: odd[back % odd.length] ?? 0 } : { last24h: back },
        ...(back % 7 === 0
          ? { "": {}, rare: { last24h: odd[(back / 7) % odd.length] ?? 0, total: back } }
          : {}),
      },
    }));
  }
  for (const date of ["0000-01-01", "0001-02-03", "1969-12-31", "1970-01-01"])
    await accept(ground, {
      asset: "old",
      generatedAt: `${date}T03:00:00Z`,
      metrics: { visits: { last24h: 7 } },
    });
  await accept(ground, {
    asset: "harbor",
    generatedAt: `${addDays(LAST, -3)}T04:00:00Z`,
    metrics: { signups: { last24h: 8 } },
  });
  await followerOn(ground).settle();
  await accept(ground, {
    asset: "harbor",
    generatedAt: `${addDays(LAST, 1)}T03:00:00Z`,
    metrics: { signups: { last24h: 9 }, brand_new: { last24h: 1 } },
  });
  writeFileSync(source, ground.store.raw.serialize());
  ground.store.close();
  asOfLevel(source, landed, LEVEL);
  const old = new Database(landed);
  rows = old
    .query<Row, []>(
      "SELECT asset, metric, date, last24h, total FROM pulse_reading ORDER BY asset, metric, date",
    )
    .all();
  old.close();
});

/** Opens a copy of it. */
function opened(name: string): Store {
  const path = join(folder.path, name);
  copyFileSync(landed, path);
  return openStore(path);
}

function readingsOf({ db, raw }: Store): Row[] {
  return raw
    .query<{ asset: string; metric: string }, []>("SELECT asset, metric FROM series ORDER BY asset, metric")
    .all()
    .flatMap(({ asset, metric }) =>
      readingsBetween(db, asset, metric, EVER).map((reading) => ({ asset, metric, ...reading })),
    );
}

async function expectWhole(store: Store): Promise<void> {
  expect(readingsOf(store)).toEqual(rows);
  expect(checkEverything(store).flatMap(({ faults }) => faults)).toEqual([]);
  for (const model of READ_MODELS) expect(await compareModel(model, store.db)).toEqual([]);
}

describe("readings that stood one to a row", () => {
  test("stand in series: every value of every day as it was, with the names, and nothing differs from the reports", async () => {
    expect(rows.length).toBeGreaterThan(1_200);
    expect(rows.some(({ last24h }) => last24h === MOST)).toBe(true);
    const store = opened("whole.db");
    migrateStore(store);
    await expectWhole(store);
    expect(listMetricNames(store.db, "harbor")).toContain("brand_new");
    expect(store.raw.query("SELECT name FROM sqlite_schema WHERE name LIKE 'pulse_reading%'").all()).toEqual(
      [],
    );
    store.close();
  });

  test("a migration that is killed before any of its statements is as if it had not begun, or is done", async () => {
    const store = opened("killed.db");
    store.close();
    const run = async (statement: number) => {
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dir, "migrate_killed.ts"), store.path, String(statement)],
        { stdin: "ignore", stdout: "ignore", stderr: "pipe" },
      );
      return (await child.exited) === 0;
    };
    const left: unknown[] = [];
    while (left.length < 40 && !(await run(left.length + 1))) {
      const raw = new Database(store.path);
      left.push(raw.query(LEFT).values().flat()[0]);
      raw.close();
    }
    expect(left.filter((tables) => tables === "pulse_metric, pulse_reading").length).toBeGreaterThanOrEqual(
      10,
    );
    expect(new Set(left).isSubsetOf(new Set(["pulse_metric, pulse_reading", "series, series_block"]))).toBe(
      true,
    );
    const after = openStore(store.path);
    migrateStore(after);
    await expectWhole(after);
    after.close();
  }, 60_000);
});
