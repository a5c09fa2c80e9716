import { expect, test } from "bun:test";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { THRESHOLDS } from "../../src/sites/thresholds.ts";

const DECIDED = {
  codebase_rules: {
    growth_percent: 25,
    growth_lines: 500,
    duplication_percent: 8,
    unused_items: 10,
    complex_functions: 5,
    vulnerable: 1,
  },
  flow_rules: {
    alpha: 0.01,
    max_window_days: 14,
    dispersion: "measured",
    percent_drop: { percent: 40, minimum_count: 350 },
  },
  freshness: { silent_hours: 26 },
  notifications: { time_zone: "UTC" },
  ledger: { operator_rates: {} },
  archive: { max_rows: 250_000, max_bytes: 67_108_864 },
  marked_days: [],
  assets: {},
};

function constantsOf(text: string) {
  const result = parseConstants(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.constants;
}

test("an empty document has every decided default (decisions 5 and 6)", () => {
  expect(constantsOf("#")).toMatchObject(DECIDED);
});

test("the default document parses to exactly the defaults", () => {
  expect(constantsOf(DEFAULT_DOCUMENT)).toEqual(constantsOf("#"));
});

test("the default document has a line for every threshold that a rule reads", () => {
  const keys = Object.values(THRESHOLDS).flatMap((table) => Object.keys(table));
  expect(keys.filter((key) => !DEFAULT_DOCUMENT.includes(`\n${key} = `))).toStrictEqual([]);
});

test("the default document explains each key in the line that sets it or the line above", () => {
  const lines = DEFAULT_DOCUMENT.split("\n");
  for (const [i, line] of lines.entries()) {
    if (!/^[a-z_]+ = /.test(line)) continue;
    const explained = line.includes("#") || (lines[i - 1] ?? "").startsWith("#");
    expect({ line, explained }).toEqual({ line, explained: true });
  }
});

test("the default document fits a terminal and is plain ASCII", () => {
  for (const line of DEFAULT_DOCUMENT.split("\n")) {
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).toMatch(/^[\x20-\x7e]*$/);
  }
});

test("the examples in the default document are valid when their marks are taken off", () => {
  const text = DEFAULT_DOCUMENT.replace(/^# (\[assets|\[\[marked|[a-z_.]+ = |EUR = )/gm, "$1");
  const constants = constantsOf(text);
  expect(constants.notifications).toEqual({ quiet_from: "22:00", quiet_until: "07:00", time_zone: "UTC" });
  expect(constants.ledger.operator_rates).toEqual({ EUR: 6000 });
  expect(Object.keys(constants.assets)).toEqual(["trail-ledger"]);
  expect(constants.marked_days.map(({ name }) => name)).toEqual(["Christmas", "Payday and patches"]);
});
