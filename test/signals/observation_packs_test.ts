import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import {
  encodeObserved,
  observationFaults,
  packObservations,
  unpackObservations,
} from "../../src/signals/observations.ts";
import { writerWith } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { pulledTower } from "../support/pulled.ts";
import { differing } from "../support/read_models.ts";
import { observedArbitrary } from "../support/signals.ts";

const QUARTER = 15 * 60_000;
const DAY = 96 * QUARTER;
/** Observations of a pack here, and quarters of an hour in which all is asked. */
const PACK = 16;
const QUARTERS = 40;

const pulled = fresh(pulledTower);
beforeEach(async () => {
  for (let tick = 0; tick < QUARTERS; tick++) {
    await pulled.run("sense");
    pulled.clock.advance(QUARTER);
  }
  await pulled.run("webmaster-tools");
});

const raw = () => pulled.tower.deps.store.raw;
const faults = () => [...observationFaults(pulled.tower.deps.store.db)];
const pack = () => packSettled(pulled.tower.deps, undefined, PACK);
const told = () => pulled.list<object>("/api/assets/harbor.example/signals?revisions=all");
const loose = () =>
  raw()
    .query<{ target: number; n: number }, []>("SELECT target, count(*) AS n FROM observation GROUP BY target")
    .all();
const packs = () =>
  raw()
    .query<{ id: number; target: number }, []>("SELECT id, target FROM observation_pack ORDER BY id")
    .all();

test("observations come out of a pack as they went in, whatever they say", async () => {
  const one = fc.record({
    id: fc.nat(),
    attempt: fc.nat(),
    observed_at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    days: observedArbitrary.map((observed) => new Uint8Array(encodeObserved(observed))),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 30 }), async (rows) => {
      expect(unpackObservations(await packObservations(rows))).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});

describe("packing observations", () => {
  test("moves what is a day old, target by target; every value that a day had is read as before, and the series are made of it", async () => {
    const before = await told();
    await pack();
    expect(packs()).toStrictEqual([]);
    pulled.clock.advance(DAY);
    await pack();
    expect(packs().map(({ target }) => target)).toEqual([1, 1, 2, 2]);
    expect(loose().map(({ n }) => n)).toEqual([QUARTERS - 2 * PACK, QUARTERS - 2 * PACK, 1]);
    expect(await told()).toEqual(before);
    expect([faults(), differing(pulled.tower.deps.store.db)]).toEqual([[], []]);
    await pulled.run("sense");
    expect((await told()).length).toBeGreaterThan(before.length);
    expect(differing(pulled.tower.deps.store.db)).toStrictEqual([]);
  });

  test("that is killed at any of its writes leaves every value as it was, and the next run ends it", async () => {
    const before = await told();
    pulled.clock.advance(DAY);
    const { deps } = pulled.tower;
    for (let survived = 0; packs().length < 4; survived++) {
      let left = survived;
      const write: typeof deps.writer.write = (job, options) =>
        left-- > 0 ? deps.writer.write(job, options) : Promise.reject(new Error("killed"));
      await packSettled(
        { ...deps, writer: writerWith(deps.writer, { closed: false, write }) },
        undefined,
        PACK,
      ).catch(String);
      expect(await told()).toEqual(before);
      expect(faults()).toStrictEqual([]);
    }
    await Promise.all([pack(), pack()]);
    expect(loose().map(({ n }) => n)).toEqual([QUARTERS - 2 * PACK, QUARTERS - 2 * PACK, 1]);
    expect([packs().length, faults(), await told()]).toEqual([4, [], before]);
  });
});

test("one that cannot be read is left where it is, and keeps no other from being packed", async () => {
  raw().run("DROP TRIGGER observation_stays");
  raw().run(
    "UPDATE observation SET days = x'ff' WHERE id = (SELECT min(id) FROM observation WHERE target = 1)",
  );
  pulled.clock.advance(DAY);
  await pack();
  expect(packs().map(({ target }) => target)).toEqual([2, 2]);
});

test("of packed observations none is changed, left out or lost, and check finds what was damaged", async () => {
  pulled.clock.advance(DAY);
  await pack();
  for (const [sql, why] of [
    ["UPDATE observation SET attempt = 9", "append-only"],
    ["DELETE FROM observation WHERE target = 1", "only into a pack"],
    ["UPDATE observation_pack SET last = 9", "append-only"],
    ["DELETE FROM observation_pack", "append-only"],
    [
      "INSERT INTO observation_pack SELECT 9, target, max(id), max(id), 1, 1, x'00', 1 FROM observation WHERE target = 1",
      "leaves out no observation",
    ],
  ] as const) {
    expect(() => raw().run(sql)).toThrow(why);
  }
  raw().run("DROP TRIGGER observation_pack_stays");
  raw().run("UPDATE observation_pack SET last_day = 99 WHERE id = 1");
  raw().run("UPDATE observation_pack SET data = x'28b52ffd' WHERE id = 2");
  expect(faults()).toEqual([
    "observation_pack, row 1: it does not hold what it says",
    "observation_pack, row 2: it is not as it was written",
  ]);
  const answer = await pulled.tower.ask("/api/assets/harbor.example/signals?revisions=all");
  expect(await answer.text()).toContain("observation_pack, row 2");
});
