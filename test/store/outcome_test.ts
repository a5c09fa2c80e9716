import { expect, test } from "bun:test";
import { runOutcome } from "../../src/store/jobs.ts";

test("what an operator paused makes a run neither less nor more than it is without", () => {
  expect(runOutcome({ paused: 3 }, null)).toBe("done");
  expect(runOutcome({ paused: 3, changed: 1 }, null)).toBe("done");
  expect(runOutcome({ paused: 3, failed: 1 }, null)).toBe("failed");
  expect(runOutcome({ paused: 3, failed: 1, changed: 1 }, null)).toBe("partial");
  expect(runOutcome({ paused: 3 }, "stopped")).toBe("failed");
});
