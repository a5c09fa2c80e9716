import { describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import {
  inTurn,
  onceLoaded,
  Semaphore,
  Slices,
  stopInSteps,
  TimeSlicer,
} from "../../src/base/concurrency.ts";
import { captureLog } from "../support/log.ts";

describe("heavy work in turns", () => {
  test("never more of it at once than allowed, in the order it was asked for, with other work in between", async () => {
    const turns = new Semaphore(2);
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
    const turns = new Semaphore(1);
    const failing = turns.run(() => {
      throw new Error("no");
    });
    const after = turns.run(() => "done");
    expect(await failing.catch((error: Error) => error.message)).toBe("no");
    expect(await after).toBe("done");
  });
});

describe("a part that is loaded when it is needed", () => {
  test("is loaded once, however many need it at the same time", async () => {
    let loads = 0;
    const part = onceLoaded(async () => ++loads);
    expect(await Promise.all([part(), part(), part()])).toEqual([1, 1, 1]);
    expect(await part()).toBe(1);
  });

  test("that failed to load is tried again by the next that needs it", async () => {
    let tries = 0;
    const part = onceLoaded(async () => {
      if (++tries === 1) throw new Error("EMFILE");
      return "pages";
    });
    await expect(part()).rejects.toThrow("EMFILE");
    expect(await part()).toBe("pages");
  });
});

test("a step that never ends, and one that fails, are told and left behind; the others are taken in their order", async () => {
  const log = captureLog();
  const taken: string[] = [];
  await stopInSteps([
    { name: "first", withinMs: 5_000, run: () => taken.push("first") },
    { name: "endless", withinMs: 20, run: () => new Promise(() => undefined) },
    { name: "failing", withinMs: 5_000, run: () => Promise.reject(new Error("no")) },
    {
      name: "last",
      withinMs: 5_000,
      run: async () => {
        await Promise.resolve();
        taken.push("last");
      },
    },
  ]);
  log.end();
  expect(taken).toEqual(["first", "last"]);
  expect(log.lines.map(({ level, message, properties }) => [level, message, properties["step"]])).toEqual([
    ["error", "a step of the stop was given up", "endless"],
    ["error", "a step of the stop failed", "failing"],
  ]);
});

test("a step that never ends is given up where nothing else keeps the process alive, and nothing of a stop does", async () => {
  const script = `
    const { stopInSteps } = await import("${join(import.meta.dir, "../../src/base/concurrency.ts")}");
    setTimeout(() => stopInSteps([
      { name: "endless", withinMs: 20, run: () => new Promise(() => undefined) },
      { name: "last", withinMs: 300_000, run: () => process.on("exit", () => console.log("taken")) },
    ]), 1);`;
  const { stdout } = Bun.spawn([process.execPath, "-e", script], { stderr: "ignore", timeout: 20_000 });
  expect(await new Response(stdout).text()).toBe("taken\n");
});

/** Work that takes as long as it says by a stopwatch of its own, and the turns of the event loop it was done in. */

function crowd(sliceMs: number) {
  let clock = 0;
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const slices = new TimeSlicer(sliceMs, () => clock);
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
    expect([...turns.values()].map((own) => own.map(({ name }) => name).join(""))).toMatchSnapshot();
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

test("steps of one name go one after another, behind one that failed too; those of another name do not wait", async () => {
  const turn = inTurn();
  const log: string[] = [];
  const step = (name: string, what: string, isFailing = false) =>
    turn(name, async () => {
      log.push(`${what} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${what} ends`);
      if (isFailing) throw new Error(what);
      return what;
    });
  const steps = [step("a", "first", true), step("a", "second"), step("b", "other")];
  expect((await Promise.allSettled(steps)).map(({ status }) => status)).toMatchSnapshot();
  const place = (what: string) => log.indexOf(what);
  expect(place("second begins")).toBeGreaterThan(place("first ends"));
  expect(place("other begins")).toBeLessThan(place("first ends"));
});

test("long work gives the event loop its turn after more than two milliseconds, and counts anew from there", async () => {
  let at = 0;
  const now = spyOn(performance, "now").mockImplementation(() => at);
  const sleep = spyOn(Bun, "sleep").mockImplementation(async () => {
    at += 10;
  });
  try {
    const slices = new Slices();
    const turns: number[] = [];
    for (const worked of [2, 0.1, 2, 0.1]) {
      at += worked;
      await slices.next();
      turns.push(sleep.mock.calls.length);
    }
    expect(turns).toEqual([0, 1, 1, 2]);
  } finally {
    now.mockRestore();
    sleep.mockRestore();
  }
});
