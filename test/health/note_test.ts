import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  endFailures,
  findMonitoringFailure,
  listFailingAssets,
  listMonitoringFailures,
  type Monitored,
  noteFailure,
  noteRecovery,
} from "../../src/health/monitoring.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { differing, mend } from "../support/read_models.ts";

const SIGNUPS: Monitored = { kind: "rule", asset: "harbor", source: "pulse", subject: "signups" };
const CONSTANTS: Monitored = { kind: "constants", asset: "", source: "", subject: "constants.toml" };

function ground() {
  const store = testStore();
  const writer = new Writer(store);
  const events = () =>
    store.raw.query("SELECT at, change, reason FROM monitoring_event ORDER BY id").all() as {
      at: number;
      change: string;
      reason: string;
    }[];
  return { store, writer, events };
}

describe("monitoring failures", () => {
  test("a failure that lasts is noted once, again when its reason changes, and keeps its beginning", async () => {
    const { store, writer, events } = ground();
    const fail = (reason: string, now: number) =>
      writer.write((tx) => noteFailure(tx, SIGNUPS, { reason, now }));
    expect([await fail("too large", 1), await fail("too large", 2), await fail("other", 3)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(findMonitoringFailure(store.db, SIGNUPS)).toEqual({ since: 1, reason: "Other." });
    expect(events()).toEqual([
      { at: 1, change: "failed", reason: "Too large." },
      { at: 3, change: "failed", reason: "Other." },
    ]);
  });

  test("a recovery ends it; a recovery of nothing is no event", async () => {
    const { store, writer, events } = ground();
    await writer.write((tx) => noteFailure(tx, CONSTANTS, { reason: "line 3", now: 1 }));
    expect(await writer.write((tx) => noteRecovery(tx, CONSTANTS, 2))).toBe(true);
    expect(await writer.write((tx) => noteRecovery(tx, CONSTANTS, 3))).toBe(false);
    expect(listMonitoringFailures(store.db)).toStrictEqual([]);
    expect(events().map(({ change }) => change)).toEqual(["failed", "recovered"]);
  });

  test("a recovery is of one kind, site, source and subject: nothing else ends with it", async () => {
    const { store, writer } = ground();
    const others = { kind: "job", asset: "orchard", source: "search-console", subject: "visits" } as const;
    const beside = Object.entries(others).map(([part, other]): Monitored => ({ ...SIGNUPS, [part]: other }));
    await writer.write((tx) => {
      for (const of of [SIGNUPS, ...beside]) noteFailure(tx, of, { reason: "broken", now: 1 });
      noteRecovery(tx, SIGNUPS, 2);
    });
    expect([SIGNUPS, ...beside].map((of) => findMonitoringFailure(store.db, of)?.since)).toEqual([
      undefined,
      ...beside.map(() => 1),
    ]);
  });

  test("they are listed the service's own first, then oldest first, by kind and by site", async () => {
    const { store, writer } = ground();
    await writer.write((tx) => {
      noteFailure(tx, SIGNUPS, { reason: "a", now: 2 });
      noteFailure(tx, { ...SIGNUPS, asset: "quay" }, { reason: "a", now: 1 });
      noteFailure(tx, CONSTANTS, { reason: "b", now: 3 });
    });
    expect(listMonitoringFailures(store.db).map(({ asset }) => asset)).toEqual(["", "quay", "harbor"]);
    expect(listMonitoringFailures(store.db, { kind: "rule" })).toHaveLength(2);
    expect(listMonitoringFailures(store.db, { asset: "harbor" })).toHaveLength(1);
    expect(listMonitoringFailures(store.db, { asset: "orchard" })).toStrictEqual([]);
  });

  test("a site with more failures than are listed hides no other site, and all of them end with it", async () => {
    const { store, writer } = ground();
    await writer.write((tx) => {
      for (let n = 0; n <= 1_000; n++)
        noteFailure(tx, { ...SIGNUPS, subject: `m${n}` }, { reason: "a", now: 1 });
      noteFailure(tx, { ...SIGNUPS, asset: "orchard" }, { reason: "a", now: 2 });
    });
    expect(listFailingAssets(store.db, "rule")).toEqual(["harbor", "orchard"]);
    await writer.write((tx) => endFailures(tx, { kind: "rule", asset: "harbor" }, 3));
    expect(listMonitoringFailures(store.db).map(({ asset }) => asset)).toEqual(["orchard"]);
  });

  test("after any course of events what lasts is what the events lead to, and a damaged row is found and mended", async () => {
    const step = fc.record({
      of: fc.constantFrom(SIGNUPS, CONSTANTS, { ...SIGNUPS, subject: "orders" }),
      reason: fc.option(fc.constantFrom("a", "b")),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { store, writer } = ground();
        for (const [now, { of, reason }] of steps.entries()) {
          await writer.write((tx) =>
            reason === null ? noteRecovery(tx, of, now) : noteFailure(tx, of, { reason, now }),
          );
        }
        expect(differing(store.db, "monitoring")).toStrictEqual([]);
        const before = listMonitoringFailures(store.db);
        store.raw.run("DELETE FROM monitoring_failure WHERE asset <> ''");
        store.raw.run("UPDATE monitoring_failure SET since = since + 1");
        expect(differing(store.db, "monitoring")).toHaveLength(before.length);
        await writer.write((tx) => mend(tx, "monitoring"));
        expect(listMonitoringFailures(store.db)).toEqual(before);
        store.close();
      }),
      { numRuns: 60 },
    );
  });
});
