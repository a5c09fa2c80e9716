import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import {
  changedTools,
  changesOf,
  type Tools,
  toolChanges,
  toolVersion,
} from "../../src/reports/codebase_rules.ts";

const FIRST = "2026-01-01" as UtcDay;
const marked = (...tools: readonly (Tools | undefined)[]) => [
  ...toolChanges(tools.map((named, day) => ({ date: addDays(FIRST, day), tools: named }))),
];

describe("Measuring tools updated", () => {
  test("marks a report in which a tool has another version than before", () => {
    expect(marked({ duplication: "1" }, { duplication: "2" }, { duplication: "2" })).toEqual([
      addDays(FIRST, 1),
    ]);
  });

  test("a tool that came or went marks nothing: its figures were not measured in the other report", () => {
    const both = { line_counter: "1", duplication: "1" };
    expect(marked(both, { line_counter: "1" }, both, { duplication: "1" })).toEqual([]);
  });

  test("a report from before a tool was named marks nothing", () => {
    expect(marked({ line_counter: "1" }, { line_counter: "1", unused: "1", history: "1" })).toEqual([]);
  });

  test("only two neighbouring reports that both name a tool tell of an update", () => {
    expect(marked({ duplication: "1" }, undefined, { image: "x" }, { duplication: "2" })).toEqual([]);
    expect(
      marked({ line_counter: "1", duplication: "1" }, { line_counter: "1" }, { duplication: "2" }),
    ).toEqual([]);
  });

  test("the image is no tool", () => {
    expect(marked({ image: "a", duplication: "1" }, { image: "b", duplication: "1" })).toEqual([]);
    expect(changedTools({ image: "a" }, { image: "b" })).toEqual([]);
  });

  test("a tool may be called what every object has", () => {
    expect(marked({ duplication: "1" }, { duplication: "1", constructor: "1", toString: "1" })).toEqual([]);
    expect(changedTools({}, { constructor: "1" } as unknown as Tools)).toEqual([]);
  });
});

describe("the tools of two reports", () => {
  const changes = changedTools(
    { line_counter: "codelines 1.0.0", duplication: "1", complexity: "1", own: "1" },
    { line_counter: "codelines 1.1.0", duplication: "1", own: "2", unused: "1" },
  );

  test("an update is a tool that both name with different versions", () => {
    expect(changes).toEqual([
      { tool: "line_counter", before: "codelines 1.0.0", now: "codelines 1.1.0" },
      { tool: "own", before: "1", now: "2" },
    ]);
    expect(changedTools(undefined, { own: "1" })).toEqual([]);
    expect(changedTools({ own: "1" }, undefined)).toEqual([]);
  });

  test("an update belongs to the figures of its tool, and to all where the tool is not known", () => {
    expect(changesOf(changes, "code_lines").map(({ tool }) => tool)).toEqual(["line_counter", "own"]);
    expect(changesOf(changes, "complex_functions").map(({ tool }) => tool)).toEqual(["own"]);
  });

  test("of thousands of updated tools twenty are told, the figure's own among them", () => {
    const named = (version: string): Record<string, string> => ({
      ...Object.fromEntries(Array.from({ length: 14_000 }, (_, index) => [`t${index}`, version])),
      line_counter: version,
    });
    const told = changesOf(changedTools(named("1"), named("2")), "code_lines");
    expect(told).toHaveLength(20);
    expect(told[0]?.tool).toBe("line_counter");
  });

  test("a measure has the version of its tool; what the sender passes in has none", () => {
    const tools = { history: "codehistory 1.0.0", unused: "codemodules 1.0.0" };
    expect(toolVersion(tools, "large_commits_30d")).toBe("codehistory 1.0.0");
    expect(toolVersion(tools, "unused_exports")).toBe("codemodules 1.0.0");
    expect(toolVersion(tools, "code_lines")).toBeUndefined();
    expect(toolVersion(tools, "build_passed")).toBeUndefined();
    expect(toolVersion(undefined, "files")).toBeUndefined();
  });
});
