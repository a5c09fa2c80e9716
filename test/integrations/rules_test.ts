import { describe, expect, test } from "bun:test";
import {
  isExhausted,
  largeLogOf,
  logAdvice,
  lowDiskOf,
  reserveOf,
} from "../../src/integrations/machine_watch.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe("disk-space: less than 256 MiB or 5 percent is free", () => {
  for (const [what, free, total, low] of [
    ["256 MiB of 2 GiB is enough", 256 * MIB, 2 * GIB, false],
    ["a byte less is not", 256 * MIB - 1, 2 * GIB, true],
    ["5 percent of 100 GiB is enough", 5 * GIB, 100 * GIB, false],
    ["a byte less is not, however much it is", 5 * GIB - 1, 100 * GIB, true],
    ["nothing at all", 0, 100 * GIB, true],
  ] as const) {
    test(what, () => expect(lowDiskOf({ free, total }, false) !== undefined).toBe(low));
  }

  test("it lasts until a tenth more than the limit is free", () => {
    const of = (free: number) => lowDiskOf({ free, total: 2 * GIB }, true) !== undefined;
    expect([of(256 * MIB), of(281 * MIB), of(282 * MIB)]).toEqual([true, true, false]);
  });

  test("its message stays the same until half of the room is gone", () => {
    const of = (free: number) => lowDiskOf({ free, total: 2 * GIB }, false)?.message;
    expect(of(200 * MIB)).toBe(
      "The disk of the data folder is nearly full: less than 256 MiB of 2 GiB is free",
    );
    expect(of(129 * MIB)).toBe(of(200 * MIB));
    expect(of(100 * MIB)).toBe(
      "The disk of the data folder is nearly full: less than 128 MiB of 2 GiB is free",
    );
    expect(of(0)).toContain("less than 1 MiB");
  });
});

describe("wal-size: the log is larger than 64 MiB", () => {
  test("64 MiB, to which a log that grew is cut back, is no news; a byte more is", () => {
    expect(largeLogOf(64 * MIB, [])).toBeUndefined();
    expect(largeLogOf(64 * MIB + 1, [])?.message).toBe("The database's log has grown past 64 MiB");
    expect(logAdvice([])).toStartWith("No other process is seen to read the database;");
  });

  test("its message names who keeps it, and stays the same until the log has doubled", () => {
    const of = (mib: number) => largeLogOf(mib * MIB, ["python3 (process 12)"])?.message;
    expect(of(65)).toBe(
      "The database's log has grown past 64 MiB; python3 (process 12) keeps it from shrinking",
    );
    expect(of(128)).toBe(of(65));
    expect(of(129)).toContain("past 128 MiB");
    const two = ["a (process 1)", "b (process 2)"];
    expect(largeLogOf(65 * MIB, two)?.message).toEndWith(
      "; a (process 1) and 1 other process keep it from shrinking",
    );
    expect(logAdvice(two)).toBe(
      "a (process 1), b (process 2) keep an old state of the database open; end that and the log shrinks.",
    );
  });
});

describe("file descriptors", () => {
  test("a tenth is kept free, at least 16 and at most 256", () => {
    expect([100, 1_000, 20_000].map(reserveOf)).toEqual([16, 100, 256]);
    expect([84, 85].map((open) => isExhausted({ open, limit: 100 }))).toEqual([false, true]);
  });
});
