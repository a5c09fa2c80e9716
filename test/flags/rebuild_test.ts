import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { ACT_NAMES, performAct } from "../../src/flags/acts.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { holdOpen, release } from "../../src/flags/reconcile.ts";
import { applySiteFlags } from "../../src/flags/site_flags.ts";
import { Writer } from "../../src/store/writer.ts";
import { instant } from "../support/clock.ts";
import { testStore } from "../support/database.ts";
import { flagFaults } from "../support/read_models.ts";

const HOUR = 3_600_000;
const START = instant("2026-03-01T12:00:00Z");
const FIRST_DAY = "2026-03-01" as UtcDay;

const sentFlag = fc.record({
  severity: fc.constantFrom("info" as const, "warn" as const),
  kind: fc.constantFrom("anomaly" as const, "opportunity" as const),
  metric: fc.constantFrom("a", "b", undefined),
  msg: fc.constantFrom("x", "y", "z"),
});

const step = fc.oneof(
  fc.record({
    type: fc.constant("act" as const),
    act: fc.constantFrom(...ACT_NAMES),
    flag: fc.nat(),
    who: fc.nat(1),
    n: fc.nat(3),
  }),
  fc.record({ type: fc.constant("run" as const), subject: fc.constantFrom("", "x"), n: fc.nat(3) }),
  fc.record({ type: fc.constant("release" as const), subject: fc.constantFrom("", "x") }),
  fc.record({
    type: fc.constant("report" as const),
    day: fc.nat(3),
    flags: fc.array(sentFlag, { maxLength: 4 }),
  }),
);

test("a flag's row and its snooze are what its records lead to, after any sequence of runs, reports and acts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const store = testStore();
      const writer = new Writer(store);
      let now = START;
      let ids = 0;
      let newest = -1;
      const newId = () => `f${++ids}`;
      for (const one of steps) {
        now += HOUR;
        await writer.write((tx): void => {
          const held = { rule: "asset-pull-failed", asset: "harbor", now };
          switch (one.type) {
            case "act": {
              const by =
                one.who === 0 ? { name: "ada", id: "operator:ada" } : { name: "ben", id: "operator:ben" };
              const id = `f${1 + (one.flag % Math.max(1, ids))}`;
              const before = findFlag(tx, id);
              const asked = { text: `words ${one.n}`, until: now + (one.n + 1) * 7 * HOUR, newId };
              performAct(tx, one.act, { ...asked, id, by, now });
              if (before?.status === "resolved") {
                expect(findFlag(tx, id)).toMatchObject({
                  status: "resolved",
                  resolved_at: before.resolved_at,
                  resolution: before.resolution,
                  acked_by: before.acked_by,
                  snoozed_until: before.snoozed_until,
                });
              }
              break;
            }
            case "run":
              holdOpen(tx, {
                ...held,
                subject: one.subject,
                severity: "error",
                kind: "anomaly",
                message: `failed ${one.n}`,
                inputs: { n: one.n },
                reading: { n: one.n },
                newId,
              });
              break;
            case "release":
              release(tx, { ...held, subject: one.subject });
              break;
            case "report": {
              const isNewestDay = one.day >= newest;
              newest = Math.max(newest, one.day);
              const answered = applySiteFlags(tx, {
                asset: "harbor",
                date: addDays(FIRST_DAY, one.day),
                revision: 1,
                isNewestDay,
                flags: one.flags,
                now,
                newId,
              });
              expect(new Set(answered).size).toBe(one.flags.length);
              if (isNewestDay) {
                const open = listFlags(tx, { origin: "site", status: "open" }, 99).map(({ id }) => id);
                expect(open.toSorted()).toEqual(answered.toSorted());
              }
            }
          }
        });
      }
      expect(flagFaults(store.db)).toStrictEqual([]);
      store.close();
    }),
    { numRuns: 60 },
  );
});

test("a snooze that its acts do not lead to is found", async () => {
  const store = testStore();
  store.raw.run("INSERT INTO flag_snooze VALUES ('r', 'harbor', '', '', 5, 1, 'operator:ada')");
  expect(flagFaults(store.db)).toHaveLength(1);
  store.close();
});
