import { expect, test } from "bun:test";
import { stopInSteps } from "../../src/base/concurrency.ts";
import { captureLog } from "../support/log.ts";

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
