import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { unsigned, VarintReader, VarintWriter } from "../../src/base/varint.ts";
import { packAttempts, unpackAttempts } from "../../src/signals/attempt_packs.ts";
import type { AttemptRow } from "../../src/signals/attempts.ts";

describe("numbers in as few bytes as they need", () => {
  const whole = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 300 }), fc.constantFrom(0, 127, 128, 2 ** 53 - 1));

  test("come out as they went in", () => {
    fc.assert(
      fc.property(fc.array(whole), (numbers) => {
        const writer = new VarintWriter();
        for (const number of numbers) writer.put(number);
        const reader = new VarintReader(writer.bytes());
        expect(numbers.map(() => reader.take())).toEqual(numbers);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  test("what lies near 0 stays near it, whatever its sign", () => {
    expect([0, -1, 1, -2].map(unsigned)).toEqual([0, 1, 2, 3]);
  });

  test("that are none are refused, and so are bytes that end too early", () => {
    for (const none of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => new VarintWriter().put(none)).toThrow();
    expect(() => new VarintReader(Uint8Array.of(255, 255)).take()).toThrow("no end");
    expect(() => new VarintReader(new Uint8Array(9).fill(255)).take()).toThrow("no end");
  });
});

const moment = fc.integer({ min: 0, max: 4_102_444_800_000 });
const attempt = fc.record({
  run: fc.nat(),
  target: fc.nat(),
  started_at: moment,
  took_ms: fc.nat(),
  outcome: fc.nat({ max: 5 }),
  category: fc.option(fc.nat({ max: 8 }), { nil: null }),
  next_retry_at: fc.option(moment, { nil: null }),
  requests: fc.nat({ max: 200 }),
  changed: fc.nat({ max: 10 }),
});

test("attempts come out of a pack as they went in, whatever they say", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 60 }), fc.nat(), async (some, first) => {
      const rows: AttemptRow[] = some.map((row, place) => ({ id: first + place, ...row }));
      expect(unpackAttempts(await packAttempts(rows), first)).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});
