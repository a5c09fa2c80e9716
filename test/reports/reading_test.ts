import { describe, expect, test } from "bun:test";
import { readMeasure, readSum, reasonFor } from "../../src/reports/codebase_rules.ts";
import { MEASURE_KEYS } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

describe("a reading", () => {
  test("a measured 0 is a value; an absent measure is none", () => {
    expect(readMeasure({ files: 0 }, "files", undefined)).toEqual({ measured: true, value: 0 });
    expect(readMeasure({}, "files", undefined)).toEqual({
      measured: false,
      reason: "The report carries no figure.",
    });
  });

  test("every measure has a reason to show, and a blank one of the report is none", () => {
    for (const key of MEASURE_KEYS) {
      expect(reasonFor(key, undefined)).toMatch(/\.$/);
      expect(reasonFor(key, sentReport({ unmeasured: { [key]: " " } }))).toBe(reasonFor(key, undefined));
      expect(reasonFor(key, sentReport({ unmeasured: { [key]: " Told. " } }))).toBe("Told.");
    }
  });

  test("a sum leaves out what was not measured and never counts it as 0", () => {
    expect(readSum({ unused_files: 3 }, ["unused_files", "unused_exports"], undefined)).toEqual({
      measured: true,
      value: 3,
    });
    expect(readSum({}, ["unused_files"], undefined).measured).toBe(false);
  });
});
