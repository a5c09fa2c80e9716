import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import {
  endPauses,
  isInForce,
  isPaused,
  listPauses,
  type PauseKey,
  pause,
  pausesInForce,
  putPause,
  resume,
} from "../../src/health/pauses.ts";
import type { Tx } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";

const NOW = 1_000;
const DAILY = "analytics.daily";
const NIGHTLY = "ingest.nightly";
const store = fresh(testStore);

const write = <T>(work: (tx: Tx) => T): T => work(store.main as Tx);
const by = (now: number) => ({ actor: "operator:ada", now });
const paused = (capability: string, asset: string, now = NOW) =>
  isPaused(store.db, { capability, asset }, now);
const acts = () =>
  listAudit(store.db, { limit: 10 }).map(({ act, target, detail }) => `${act} ${target} ${detail}`);

describe("what a pause covers", () => {
  test("what names neither a capability nor a site is no pause", () => {
    expect(() => write((tx) => pause(tx, { capability: "", asset: "", until: null }, by(NOW)))).toThrow(
      RangeError,
    );
    expect(listPauses(store.db)).toStrictEqual([]);
  });
});

describe("how a pause ends", () => {
  test("with its moment, and nothing is written then", () => {
    write((tx) => pause(tx, { capability: DAILY, asset: "harbor", until: 5_000 }, by(NOW)));
    expect([paused(DAILY, "harbor", 4_999), paused(DAILY, "harbor", 5_000)]).toEqual([true, false]);
    expect(listPauses(store.db).map((one) => isInForce(one, 5_000))).toEqual([false]);
    // It is over: there is nothing to resume, and no act.
    expect(write((tx) => resume(tx, { capability: DAILY, asset: "harbor" }, by(6_000)))).toBeUndefined();
    expect(acts()).toHaveLength(1);
  });

  test("by resuming it, once", () => {
    const key = { capability: DAILY, asset: "harbor" };
    write((tx) => pause(tx, { ...key, until: null }, by(NOW)));
    expect(write((tx) => resume(tx, key, by(2_000)))?.pausedAt).toBe(NOW);
    expect(write((tx) => resume(tx, key, by(2_000)))).toBeUndefined();
    expect(paused(DAILY, "harbor")).toBe(false);
  });

  test("with its site; what is paused on every site stays", () => {
    write((tx) => {
      pause(tx, { capability: DAILY, asset: "harbor", until: null }, by(NOW));
      pause(tx, { capability: "", asset: "harbor", until: 1_500 }, by(NOW));
      pause(tx, { capability: DAILY, asset: "", until: null }, by(NOW));
    });
    write((tx) => endPauses(tx, "harbor", by(2_000)));
    expect(listPauses(store.db).map(({ capability, asset }) => `${capability} ${asset}`)).toEqual([
      `${DAILY} `,
    ]);
    // What had ended by itself leaves no act of its end.
    expect(acts()[0]).toBe(`health.resume harbor {"capability":"${DAILY}"}`);
    expect(acts()).toHaveLength(4);
  });
});

test("each act stands in the audit with what it was done to; the same again is none", () => {
  const site = { capability: "", asset: "harbor" };
  const until = Date.parse("2026-11-21T00:00:00Z");
  expect(write((tx) => pause(tx, { ...site, until }, by(NOW)))).toBe("paused");
  expect(write((tx) => pause(tx, { ...site, until }, by(2_000)))).toBe("same");
  expect(write((tx) => pause(tx, { ...site, until: null }, by(3_000)))).toBe("changed");
  write((tx) => resume(tx, site, by(4_000)));
  expect(acts()).toEqual([
    "health.resume harbor {}",
    "health.pause harbor {}",
    'health.pause harbor {"until":"2026-11-21T00:00:00.000Z"}',
  ]);
});

test("with another end it is paused since the same moment; after its end it is paused anew", () => {
  const site = { capability: "", asset: "harbor" };
  write((tx) => pause(tx, { ...site, until: 2_000 }, by(NOW)));
  write((tx) => pause(tx, { ...site, until: 3_000 }, by(1_500)));
  expect(listPauses(store.db)).toMatchObject([{ pausedAt: NOW, until: 3_000 }]);
  write((tx) => pause(tx, { ...site, until: null }, by(3_000)));
  expect(listPauses(store.db)).toMatchObject([{ pausedAt: 3_000, until: null }]);
});

test("asked for many at once, pauses answer as asked for one, and name the one that lasts longest, of two the wider", () => {
  const names = { capability: fc.constantFrom("", DAILY, NIGHTLY), asset: fc.constantFrom("", "a", "b") };
  const pauses = fc.uniqueArray(
    fc
      .record({ ...names, until: fc.option(fc.integer({ min: 900, max: 1_100 })) })
      .filter(({ capability, asset }) => capability + asset !== ""),
    { selector: ({ capability, asset }) => `${capability} ${asset}`, maxLength: 8 },
  );
  const asked = { capability: fc.constantFrom(DAILY, NIGHTLY), asset: names.asset };
  fc.assert(
    fc.property(pauses, fc.record(asked), (rows, key: PauseKey) => {
      store.raw.run("DELETE FROM health_pause");
      for (const row of rows) putPause(store.main as Tx, { ...row, pausedAt: 0, pausedBy: "" });
      const found = pausesInForce(listPauses(store.db), NOW)(key);
      const covering = rows.filter(
        (row) =>
          (row.until ?? NOW + 1) > NOW &&
          ["", key.capability].includes(row.capability) &&
          ["", key.asset].includes(row.asset),
      );
      const end = ({ until }: (typeof rows)[number]) => until ?? Number.POSITIVE_INFINITY;
      const width = ({ capability, asset }: PauseKey) => (capability === "" ? 2 : asset === "" ? 1 : 0);
      const [named] = covering.sort((one, other) => end(other) - end(one) || width(other) - width(one));
      expect(found).toEqual(named && { ...named, pausedAt: 0, pausedBy: "" });
      expect(isPaused(store.db, key, NOW)).toBe(named !== undefined);
    }),
  );
});
