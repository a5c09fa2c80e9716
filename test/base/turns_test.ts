import { describe, expect, test } from "bun:test";
import { Turns } from "../../src/base/concurrency.ts";

describe("heavy work in turns", () => {
  test("never more of it at once than allowed, in the order it was asked for, with other work in between", async () => {
    const turns = new Turns(2);
    let running = 0;
    let most = 0;
    let others = 0;
    const began: number[] = [];
    const work = Array.from({ length: 6 }, (_, i) =>
      turns.run(async () => {
        began.push(i);
        most = Math.max(most, ++running);
        await new Promise<void>((done) => setImmediate(done));
        running--;
        return others;
      }),
    );
    const count = () => {
      others++;
      if (began.length < 6) setImmediate(count);
    };
    setImmediate(count);
    const seen = await Promise.all(work);
    expect({ most, began }).toEqual({ most: 2, began: [0, 1, 2, 3, 4, 5] });
    expect(seen.at(-1)).toBeGreaterThan(seen[0] ?? 0);
  });

  test("work that fails makes room for the next", async () => {
    const turns = new Turns(1);
    const failing = turns.run(() => {
      throw new Error("no");
    });
    const after = turns.run(() => "done");
    expect(await failing.catch((error: Error) => error.message)).toBe("no");
    expect(await after).toBe("done");
  });
});
