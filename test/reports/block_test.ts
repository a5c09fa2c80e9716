import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  BLOCK_DAYS,
  blockOf,
  changedBlock,
  DamagedBlock,
  type DayChange,
  type DayValue,
  daysOf,
  EMPTY_BLOCK,
  firstDayOf,
  unlessDamaged,
} from "../../src/reports/series_days.ts";

const count = (value: number): DayValue => ({ state: "final", basis: "reported", value, total: null });
const NOTHING: DayValue = { state: "missing", basis: null, value: null, total: null };

const numbers = fc.oneof(
  fc.constant(null),
  fc.nat({ max: 300 }),
  fc.maxSafeNat(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
);
const values = fc.record({
  state: fc.constantFrom("missing", "final", "provisional", "excluded"),
  basis: fc.constantFrom("reported", "omitted", null),
  value: numbers,
  total: numbers,
});
/** Changes of days of one block, in order, of which some take a day away. */
const changes = fc
  .dictionary(fc.nat({ max: BLOCK_DAYS - 1 }).map(String), fc.option(values, { nil: undefined }))
  .map((days) =>
    Object.entries(days)
      .map(([place, to]) => ({ day: 20_480 + Number(place), to }))
      .sort((one, other) => one.day - other.day),
  );

function applied(all: readonly (readonly DayChange[])[]): Map<number, DayValue> {
  const days = new Map<number, DayValue>();
  for (const { day, to } of all.flat()) {
    if (to === undefined) days.delete(day);
    else days.set(day, to);
  }
  return days;
}

describe("a block of days", () => {
  test("is stored in these bytes: another reading of them would change what is kept already", () => {
    const day = firstDayOf(160);
    const written: readonly DayChange[] = [
      { day, to: count(7) },
      { day: day + 1, to: { ...count(300), total: 70_000 } },
      { day: day + 2, to: NOTHING },
      { day: day + 3, to: { ...NOTHING, state: "provisional", basis: "omitted", value: 0 } },
      { day: day + 127, to: { ...count(1.5), state: "excluded" } },
    ];
    const bytes = changedBlock(EMPTY_BLOCK, written);
    expect(Buffer.from(bytes).toString("hex")).toBe(
      ["00f107", "0132012c011170", "02ff", "83f00a", "fff8073ff8000000000000"].join(""),
    );
    expect([...daysOf(bytes, 160)]).toEqual(
      written.flatMap(({ day, to }) => (to ? [[day, to] as const] : [])),
    );
  });

  test("holds exactly what was put in, whatever numbers, states and bases, in whatever turns it came", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 4 }), (turns) => {
        const bytes = turns.reduce((old, turn) => changedBlock(old, turn), EMPTY_BLOCK);
        const due = applied(turns);
        expect(daysOf(bytes, blockOf(20_480))).toEqual(
          new Map([...due].sort(([one], [other]) => one - other)),
        );
        const at_once = [...due].sort(([one], [other]) => one - other).map(([day, to]) => ({ day, to }));
        expect(Buffer.compare(changedBlock(EMPTY_BLOCK, at_once), bytes)).toBe(0);
      }),
    );
  });

  test("is the very same where nothing changes", () => {
    const bytes = changedBlock(EMPTY_BLOCK, [
      { day: 5, to: count(3) },
      { day: 9, to: NOTHING },
    ]);
    expect(changedBlock(bytes, [{ day: 9, to: NOTHING }])).toBe(bytes);
    expect(changedBlock(bytes, [{ day: 7, to: undefined }])).toBe(bytes);
    expect(changedBlock(bytes, [{ day: 9, to: count(0) }])).not.toBe(bytes);
  });

  test("takes three bytes for a day with an ordinary count, and none for what was not told", () => {
    expect(changedBlock(EMPTY_BLOCK, [{ day: 1, to: count(200) }])).toHaveLength(3);
    expect(changedBlock(EMPTY_BLOCK, [{ day: 1, to: count(0) }])).toHaveLength(2);
    expect(changedBlock(EMPTY_BLOCK, [{ day: 1, to: { ...count(200), total: 70_000 } }])).toHaveLength(6);
  });

  test("0 is no absent value, and -0 is 0", () => {
    const bytes = changedBlock(EMPTY_BLOCK, [
      { day: 1, to: count(-0) },
      { day: 2, to: { ...NOTHING, state: "provisional" } },
    ]);
    expect([...daysOf(bytes, 0).values()].map(({ value }) => value)).toEqual([0, null]);
  });

  test("before 1970 lies in a block of its own", () => {
    expect([blockOf(-1), blockOf(0), firstDayOf(blockOf(-1))]).toEqual([-1, 0, -128]);
    const bytes = changedBlock(EMPTY_BLOCK, [{ day: -1, to: count(1) }]);
    expect([...daysOf(bytes, -1).keys()]).toEqual([-1]);
  });

  test("refuses what is no number, and days out of their order", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => changedBlock(EMPTY_BLOCK, [{ day: 1, to: count(value) }])).toThrow(RangeError);
    for (const second of [1, 2]) {
      const days = [2, second].map((day) => ({ day, to: count(1) }));
      expect(() => changedBlock(EMPTY_BLOCK, days)).toThrow(RangeError);
    }
  });

  test("of any bytes is read, or said to be damaged, and never read beyond its end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          for (const [day, { value }] of daysOf(bytes, 160)) {
            expect(blockOf(day)).toBe(160);
            expect(value === null || typeof value === "number").toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedBlock);
        }
      }),
    );
    expect(() => unlessDamaged(() => new Array(-1))).toThrow(RangeError);
    for (const bytes of [
      [5],
      [5, 0x09],
      [5, 0xf1],
      [5, 0xf0, 5, 0xf0],
      [9, 0xf0, 5, 0xf0],
      [0x85, 0xf0, 0x0c],
    ])
      expect(() => daysOf(Uint8Array.from(bytes), 0)).toThrow(DamagedBlock);
  });
});
