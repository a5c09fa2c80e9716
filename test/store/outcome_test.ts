import { expect, test } from "bun:test";
import fc from "fast-check";
import { runOutcome } from "../../src/store/jobs.ts";

test("what an operator paused makes a run neither less nor more than it is without", () => {
  expect(runOutcome({ paused: 3 }, null)).toBe("done");
  expect(runOutcome({ paused: 3, changed: 1 }, null)).toBe("done");
  expect(runOutcome({ paused: 3, failed: 1 }, null)).toBe("failed");
  expect(runOutcome({ paused: 3, failed: 1, changed: 1 }, null)).toBe("partial");
  expect(runOutcome({ paused: 3 }, "stopped")).toBe("failed");
});

test("a run is done where nothing fell short, failed where nothing came or it broke off, else partial (property)", () => {
  const short = ["failed", "incomplete", "held", "given_up"];
  const came = ["changed", "unchanged", "empty", "source_lag", "stored"];
  const counts = fc.dictionary(fc.constantFrom(...short, ...came, "paused"), fc.nat(2), { maxKeys: 4 });
  const faults = fc.constantFrom(null, "stopped", "error", "cut_off");
  fc.assert(
    fc.property(counts, faults, (reports, fault) => {
      const any = (some: readonly string[]) => some.some((outcome) => (reports[outcome] ?? 0) > 0);
      const isBroken = fault === "error" || fault === "cut_off";
      const isWhole = fault === null && !any(short);
      expect(runOutcome(reports, fault)).toBe(
        isWhole ? "done" : any(came) && !isBroken ? "partial" : "failed",
      );
    }),
  );
});
