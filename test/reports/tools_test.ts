import { expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import {
  changedTools,
  changesOf,
  type Tools,
  toolChanges,
  toolVersion,
} from "../../src/reports/codebase_rules.ts";
import { MEASURE_KEYS } from "../../src/reports/measures.ts";
import { recordEach } from "../support/mixtures.ts";

const FIRST = "2026-01-01" as UtcDay;
const marked = (...tools: readonly (Tools | undefined)[]) => [
  ...toolChanges(tools.map((named, day) => ({ date: addDays(FIRST, day), tools: named }))),
];

test("an update is marked where two neighbouring reports name a tool with another version, the image is none; recorded", () => {
  const reports: readonly (readonly (Tools | undefined)[])[] = [
    [{ duplication: "1" }, { duplication: "2" }, { duplication: "2" }],
    [{ line_counter: "1", duplication: "1" }, { line_counter: "1" }, { duplication: "1" }],
    [{ line_counter: "1" }, { line_counter: "1", unused: "1", history: "1" }],
    [{ duplication: "1" }, undefined, { image: "x" }, { duplication: "2" }],
    [{ line_counter: "1", duplication: "1" }, { line_counter: "1" }, { duplication: "2" }],
    [
      { image: "a", duplication: "1" },
      { image: "b", duplication: "1" },
    ],
    [{ duplication: "1" }, { duplication: "1", constructor: "1", toString: "1" } as unknown as Tools],
  ];
  recordEach(reports, (tools) => marked(...tools));
});

test("an update belongs to the figures of its tool, and to all where the tool is not known; recorded", () => {
  const pairs: readonly (readonly [before: Tools | undefined, now: Tools | undefined])[] = [
    [
      { line_counter: "codelines 1.0.0", duplication: "1", complexity: "1", own: "1" },
      { line_counter: "codelines 1.1.0", duplication: "1", own: "2", unused: "1" },
    ],
    [undefined, { own: "1" }],
    [{ own: "1" }, undefined],
    [{ image: "a" }, { image: "b" }],
    [{}, { constructor: "1" } as unknown as Tools],
  ];
  recordEach(pairs, ([before, now]) => {
    const all = changedTools(before, now);
    return [all, changesOf(all, "code_lines"), changesOf(all, "complex_functions")];
  });
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

test("a measure has the version of its tool; what the sender passes in has none; recorded", () => {
  const names = ["line_counter", "duplication", "unused", "complexity", "history", "dependencies"];
  const tools = Object.fromEntries(names.map((name) => [name, `${name} 1`]));
  recordEach(MEASURE_KEYS, (key) => toolVersion(tools, key));
  expect(toolVersion(undefined, "files")).toBeUndefined();
});
