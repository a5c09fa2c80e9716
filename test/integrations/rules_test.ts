/** When the machine is short of something, and what is said of it: recorded. */

import { expect, test } from "bun:test";
import {
  isExhausted,
  largeLogOf,
  logAdvice,
  lowDiskOf,
  reserveOf,
} from "../../src/integrations/machine_watch.ts";
import { recordEach } from "../support/mixtures.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

test("less than 256 MiB or 5 percent of the disk is free, until a tenth more is", () => {
  const small = [282, 281, 257, 256, 256 - 1 / MIB, 200, 129, 128, 100, 0].map((mib) => [mib * MIB, 2 * GIB]);
  const large = [5 * GIB, 5 * GIB - 1, 0].map((free) => [free, 100 * GIB]);
  recordEach([...small, ...large], ([free = 0, total = 0]) => [
    lowDiskOf({ free, total }, false),
    lowDiskOf({ free, total }, true)?.message,
  ]);
});

test("the database's log is larger than 64 MiB, to which a log that grew is cut back, and has doubled since", () => {
  const holders = ["python3 (process 12)", "b (process 2)"];
  recordEach([64, 64 + 1 / MIB, 65, 128, 128 + 1 / MIB, 129], (mib) =>
    [0, 1, 2].map((count) => largeLogOf(mib * MIB, holders.slice(0, count))),
  );
  recordEach([0, 1, 2], (count) => logAdvice(holders.slice(0, count)));
});

test("a tenth of the file descriptors is kept free, at least 16 and at most 256", () => {
  expect([100, 1_000, 20_000].map(reserveOf)).toEqual([16, 100, 256]);
  expect([84, 85].map((open) => isExhausted({ open, limit: 100 }))).toEqual([false, true]);
});
