/** Work that takes as long as it says by a stopwatch of its own, and the turns of the event loop it was done in. */

import { describe, expect, test } from "bun:test";
import { Slices } from "../../src/base/concurrency.ts";

function crowd(sliceMs: number) {
  let clock = 0;
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const slices = new Slices(sliceMs, () => clock);
  const done: { readonly name: string; readonly turn: number }[] = [];
  const run = (name: string, takesMs: number) =>
    slices.run(() => {
      clock += takesMs;
      done.push({ name, turn });
      return name;
    });
  const end = () => {
    isOver = true;
  };
  return { run, done, end, slices };
}

describe("work in slices of time", () => {
  test("what fits into a slice is done in one turn, the rest in the next ones, in the order it came", async () => {
    const { run, done, end } = crowd(4);
    await Promise.all("abcdefg".split("").map((name) => run(name, 2)));
    end();
    expect(done.map(({ name }) => name).join("")).toBe("abcdefg");
    const turns = Map.groupBy(done, ({ turn }) => turn);
    expect([...turns.values()].map((own) => own.map(({ name }) => name).join(""))).toEqual([
      "ab",
      "cd",
      "ef",
      "g",
    ]);
  });

  test("a piece longer than a slice has a turn of its own", async () => {
    const { run, done, end } = crowd(4);
    await Promise.all([run("a", 9), run("b", 9), run("c", 1)]);
    end();
    expect(new Set(done.slice(0, 2).map(({ turn }) => turn)).size).toBe(2);
    expect(done.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  test("work that fails makes room for the next", async () => {
    const { slices, run, end } = crowd(1);
    const failing = slices.run(() => {
      throw new Error("no");
    });
    const after = run("done", 1);
    expect(await failing.catch((error: Error) => error.message)).toBe("no");
    expect(await after).toBe("done");
    end();
  });
});
