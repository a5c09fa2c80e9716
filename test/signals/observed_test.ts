import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  decodeObserved,
  encodeObserved,
  firstDataOf,
  firstDayOf,
  type Observed,
} from "../../src/signals/observations.ts";
import { movingDays } from "../../src/signals/signal_list.ts";
import { testGround } from "../support/deps.ts";
import { observedArbitrary } from "../support/signals.ts";

describe("the bytes of an observation", () => {
  test("give back what was written, and the first days by their head alone", () => {
    fc.assert(
      fc.property(observedArbitrary, (observed) => {
        const bytes = encodeObserved(observed);
        expect(decodeObserved(bytes)).toEqual(observed);
        expect(firstDataOf(bytes)).toBe(observed.firstData);
        expect(firstDayOf(bytes)).toBe(observed.figures[0]?.day);
      }),
    );
  });

  test("that end early, or go on, are none", () => {
    fc.assert(
      fc.property(observedArbitrary, fc.nat(), (observed, at) => {
        const bytes = encodeObserved(observed);
        const cut = bytes.subarray(0, at % bytes.length);
        let read: Observed | undefined;
        try {
          read = decodeObserved(cut);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
        if (read !== undefined) expect(read.figures.length).toBeLessThan(observed.figures.length || 1);
      }),
    );
  });

  test("of one day with four counts are about twenty", () => {
    const day = 20_779;
    const to = { state: "provisional", basis: "reported", value: 4_711 } as const;
    const figures = [0, 1, 2, 3].map((place) => ({ day, place, to }));
    expect(encodeObserved({ firstData: day - 400, figures }).length).toBeLessThanOrEqual(18);
  });

  test("hold a rate as the part that it is of the count before it, to the last bit", () => {
    const count = fc.nat({ max: 1_000_000 });
    const value = fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0);
    fc.assert(
      fc.property(count, count, value, (clicks, shown, other) => {
        const values = [clicks, shown, clicks / (shown || 1), other];
        const figures = values.map((told, place) => {
          return { day: 20_779, place, to: { state: "final", basis: "reported", value: told } as const };
        });
        const bytes = encodeObserved({ firstData: undefined, figures: figures.slice(0, 3) });
        expect(bytes.length).toBeLessThanOrEqual(17);
        const all = { firstData: undefined, figures };
        expect(decodeObserved(encodeObserved(all))).toEqual(all);
      }),
    );
  });

  test("are refused where figures stand out of order, or are no numbers", () => {
    const to = { state: "final", basis: "reported", value: 1 } as const;
    const two = (first: object, second: object) => () =>
      encodeObserved({
        firstData: undefined,
        figures: [
          { day: 9, place: 1, to, ...first },
          { day: 9, place: 1, to, ...second },
        ],
      });
    expect(two({}, {})).toThrow(RangeError);
    expect(two({}, { place: 0 })).toThrow(RangeError);
    expect(two({}, { day: 8 })).toThrow(RangeError);
    expect(two({}, { day: 10, to: { ...to, value: Number.NaN } })).toThrow(RangeError);
  });
});

test("a settled day may move that was told with another value before, or never; one with the value it had does not", async () => {
  const { store } = await testGround();
  store.raw.run(
    `INSERT INTO pull_target (id, asset, provider, connection_revision, property, time_zone)
     VALUES (1, 'harbor', 'analytics', 'c', '123', 'UTC')`,
  );
  const tell = (at: number, state: "provisional" | "final", values: Readonly<Record<number, number>>) => {
    const figures = Object.entries(values).map(([day, value]) => {
      return { day: Number(day), place: 0, to: { state, basis: "reported", value } as const };
    });
    const days = encodeObserved({ firstData: undefined, figures });
    store.raw.run("INSERT INTO observation (attempt, target, observed_at, days) VALUES (?, 1, ?, ?)", [
      at,
      at,
      days,
    ]);
  };
  tell(1, "provisional", { 20500: 5, 20501: 6 });
  tell(2, "final", { 20500: 5, 20501: 7, 20502: 8 });
  const last = { attempt: 2, observedAt: 2, timeZone: "UTC" };
  const moving = movingDays(store.db, { asset: "harbor", provider: "analytics" }, last, 20_500);
  expect([...moving]).toEqual([20_501, 20_502]);
  store.close();
});
