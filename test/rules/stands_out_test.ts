import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { chanceMarks, countTestedSeries, greatestStandingOut } from "../../src/rules/verdicts.ts";
import { operatorDeps } from "../support/operators.ts";
import { judgeNightly, sendNightly } from "../support/send_nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const chances = fc.array(
  fc.oneof(fc.double({ min: 0, max: 0.01, noNaN: true }), fc.constantFrom(0.001, 0.005)),
  { minLength: 1, maxLength: 40 },
);
const standing = (of: readonly number[], tests: number) =>
  of.filter((chance) => chance <= greatestStandingOut(of, tests));

test("among many tests, as Benjamini and Hochberg have it: those stand out that the definition names: the k smallest, for the largest k with the k-th at most k times 0.1 over the tests", () => {
  fc.assert(
    fc.property(chances, fc.integer({ min: 40, max: 2_000 }), (of, tests) => {
      const ordered = of.toSorted((one, other) => one - other);
      let k = 0;
      for (let rank = 1; rank <= ordered.length; rank++)
        if ((ordered[rank - 1] ?? 1) * tests <= rank * 0.1) k = rank;
      const last = ordered[k - 1] ?? -1;
      expect(standing(of, tests)).toEqual(of.filter((chance) => chance <= last));
    }),
  );
});

const LAST = "2026-03-01" as UtcDay;
const QUIET = Object.fromEntries(Array.from({ length: 60 }, (_, place) => [`quiet${place}`, () => 100]));

/** Sixty-four steady counts of a site whose newest day has a stop, a fall that stands out, and two that chance may give. */
async function oneMorning() {
  const deps = operatorDeps();
  deps.clock.at(`${LAST}T12:00:00Z`);
  await sendNightly(deps, "shop", LAST, 60, {
    ...QUIET,
    stop: (back) => (back === 0 ? 0 : 20),
    fall: (back) => (back === 0 ? 40 : 100),
    chance1: (back) => (back === 0 ? 76 : 100),
    chance2: (back) => (back === 0 ? 76 : 100),
  });
  await judgeNightly(deps, () => DEFAULT_FLOW_THRESHOLDS);
  const marks = () =>
    Object.fromEntries(
      listFlags(deps.store.db, { status: "open" }, 100).map(({ id, metric }) => [
        metric,
        chanceMarks(deps.store.db).get(id)?.standsOut,
      ]),
    );
  return { ...deps, marks };
}

describe("a morning's flags", () => {
  test("a count of 0 and what is too improbable for so many tests stand out; the others lie within what chance gives", async () => {
    const { marks, store } = await oneMorning();
    expect(countTestedSeries(store.db, LAST)).toBe(64);
    expect(marks()).toEqual({ stop: "count_of_0", fall: "improbable", chance1: null, chance2: null });
  });

  test("a second day running stands out, however it is among the tests of its own day", async () => {
    const { marks, clock, ...deps } = await oneMorning();
    const next = addDays(LAST, 1);
    clock.at(`${next}T12:00:00Z`);
    const held = Object.fromEntries(Object.keys(QUIET).map((metric) => [metric, () => 100]));
    await sendNightly(deps, "shop", next, 1, {
      ...held,
      chance1: () => 76,
      chance2: () => 100,
      chance3: () => 100,
    });
    await judgeNightly({ ...deps, clock }, () => DEFAULT_FLOW_THRESHOLDS);
    expect(marks()["chance1"]).toBe("second_day");
  });

  test("a day is judged by its own flags, and while it lasts by as many tests as the day before had", async () => {
    const { marks, store, clock, ...deps } = await oneMorning();
    const before = marks();
    const next = addDays(LAST, 1);
    clock.at(`${next}T12:00:00Z`);
    const fallen = (count: number) => (back: number) => (back === 0 ? count : 100);
    await sendNightly(deps, "kiosk", next, 60, {
      ...{ low1: fallen(40), low2: fallen(40), low3: fallen(40) },
      perhaps: fallen(76),
    });
    await judgeNightly({ ...deps, store, clock }, () => DEFAULT_FLOW_THRESHOLDS);
    expect(marks()).toMatchObject({ ...before, perhaps: "improbable" });
    const [perhaps] = listFlags(store.db, { status: "open" }, 100).filter(
      ({ metric }) => metric === "perhaps",
    );
    const early = chanceMarks(store.db, undefined, true).get(perhaps?.id ?? "");
    expect(early).toMatchObject({ standsOut: null, tests: 64 });
  });

  test("what an operator resolves of a morning changes no mark of the others", async () => {
    const { marks, store, writer, clock } = await oneMorning();
    const { stop: _stop, ...others } = marks();
    const [stop] = listFlags(store.db, { status: "open" }, 100).filter(({ metric }) => metric === "stop");
    await writer.write((tx) =>
      performAct(tx, "resolve", {
        id: stop?.id ?? "",
        by: { name: "ada", id: "operator:ada" },
        now: clock.now(),
      }),
    );
    expect(marks()).toEqual(others);
    expect(chanceMarks(store.db, stop?.id).get(stop?.id ?? "")?.standsOut).toBe("count_of_0");
  });
});
