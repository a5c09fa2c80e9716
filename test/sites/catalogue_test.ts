import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  CODEBASE_RULES,
  FLOW_RULES,
  flowRaisedAs,
  flowRuleId,
  METRIC_RULES,
  RULES,
  type Rule,
  ruleOf,
  rulesOfThing,
} from "../../src/sites/rule_catalogue.ts";
import {
  defaultsOf,
  isWithin,
  THRESHOLDS,
  type Threshold,
  type ThresholdKey,
  type ThresholdTable,
} from "../../src/sites/thresholds.ts";
import { DEFAULT_CODEBASE_THRESHOLDS, DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const SOURCE = join(import.meta.dir, "../../src");
const keysOf = <T extends ThresholdTable>(table: T) => Object.keys(THRESHOLDS[table]) as ThresholdKey<T>[];
const TABLES = Object.keys(THRESHOLDS) as ThresholdTable[];

/** The text of every file of src, by its path there, without comments. */
function sources(): [path: string, text: string][] {
  return readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      relative(SOURCE, path),
      readFileSync(path, "utf8")
        .replace(/\/\*[\s\S]*?\*\//g, "")
        .replace(/(^|\s)\/\/.*$/gm, "$1"),
    ]);
}

test("flow: a drop warns as an anomaly and a rise informs as an opportunity", () => {
  expect(flowRaisedAs("flow-drop", false)).toEqual({ severity: "warn", kind: "anomaly" });
  expect(flowRaisedAs("percent-drop", false)).toEqual({ severity: "warn", kind: "anomaly" });
  expect(flowRaisedAs("flow-rise", false)).toEqual({ severity: "info", kind: "opportunity" });
});

test("flow: for a metric where more is worse it is the other way round", () => {
  expect(flowRaisedAs("flow-rise", true)).toEqual({ severity: "warn", kind: "anomaly" });
  expect(flowRaisedAs("flow-drop", true)).toEqual({ severity: "info", kind: "opportunity" });
  expect(flowRaisedAs("percent-drop", true)).toEqual({ severity: "info", kind: "opportunity" });
  expect(flowRaisedAs("flow-decline", false)).toEqual(flowRaisedAs("flow-drop", false));
  expect(flowRaisedAs("flow-growth", false)).toEqual(flowRaisedAs("flow-rise", false));
  expect(flowRaisedAs("flow-decline", true)).toEqual(flowRaisedAs("flow-drop", true));
  expect(flowRaisedAs("flow-growth", true)).toEqual(flowRaisedAs("flow-rise", true));
});

test("a rule's short name is its side", () => {
  for (const [id, rule] of Object.entries(RULES))
    if ("short" in rule) expect<string>(rule.short).toBe(id.replace("flow-", "").replace("-", " "));
});

test("flow: each direction is a rule of its own, and a metric that is down is one thing whichever rule says so", () => {
  expect([flowRuleId("drop"), flowRuleId("rise")]).toEqual(["flow-drop", "flow-rise"]);
  expect(rulesOfThing("percent-drop")).toEqual(["flow-drop", "percent-drop"]);
  expect(rulesOfThing("flow-rise")).toEqual(["flow-rise"]);
  expect(rulesOfThing("codebase-growth")).toEqual(["codebase-growth"]);
});

test("the rules are the five of the codebase in the order of the specification, and three of a metric's daily counts", () => {
  expect(CODEBASE_RULES).toEqual([
    "codebase-growth",
    "codebase-duplication",
    "codebase-unused",
    "codebase-complexity",
    "codebase-vulnerabilities",
  ]);
  expect(FLOW_RULES).toEqual(["flow-drop", "flow-rise", "percent-drop"]);
});

test("a milestone is always info (spec, Flag)", () => {
  const milestones = Object.values<Rule>(RULES).filter(({ raised }) => raised.kind === "milestone");
  expect(milestones.map(({ raised }) => raised.severity)).toEqual(["info"]);
});

test("a rule is tuned where its thresholds can be set for one site or metric; what a site sent has no rule", () => {
  const tunable = Object.keys(RULES).filter((id) => ruleOf(id)?.isTunable === true);
  expect(tunable).toEqual([...CODEBASE_RULES, ...METRIC_RULES]);
  expect(ruleOf(null)).toBeUndefined();
  expect(ruleOf("toString")).toBeUndefined();
});

test("the defaults are those of the specification and lie within their bounds", () => {
  expect(DEFAULT_CODEBASE_THRESHOLDS).toEqual({
    growth_percent: 25,
    growth_lines: 500,
    duplication_percent: 8,
    unused_items: 10,
    complex_functions: 5,
    vulnerable: 1,
  });
  expect(DEFAULT_FLOW_THRESHOLDS).toEqual({
    alpha: 0.01,
    max_window_days: 14,
    dispersion: "measured",
    lasting_percent: 5,
    percent_drop: { percent: 40, minimum_count: 350 },
    negative: false,
    marked_days: [],
  });
  expect(defaultsOf("freshness")).toEqual({ silent_hours: 26 });
  const outside = TABLES.flatMap((table) =>
    Object.entries<Threshold>(THRESHOLDS[table]).filter(
      ([, { default: value, bounds }]) => typeof value === "number" && !isWithin(bounds, value),
    ),
  );
  expect(outside).toEqual([]);
});

test("every threshold is read by a rule", () => {
  const read = Object.values<Rule>(RULES).flatMap(({ reads }): readonly string[] => reads?.keys ?? []);
  expect(
    TABLES.flatMap((table): readonly string[] => keysOf(table)).filter((key) => !read.includes(key)),
  ).toEqual([]);
});

test("a rule's id is spelled in the catalogue alone, but for the table of the checks that judge a codebase", () => {
  const ids = new RegExp(`\\b(?:${Object.keys(RULES).join("|")})\\b`);
  const spelled = sources().filter(([, text]) => ids.test(text));
  expect(spelled.map(([path]) => path).sort()).toEqual([
    "reports/codebase_rules.ts",
    "sites/rule_catalogue.ts",
  ]);
});

test("no page names a threshold's key or says its words by itself", () => {
  // Measures and the figures of a test bear these names, too.
  const others = ["duplication_percent", "complex_functions", "percent", "vulnerable", "alpha", "dispersion"];
  const keys = TABLES.flatMap((table): readonly string[] => keysOf(table)).filter(
    (key) => !others.includes(key),
  );
  const words = Object.values(THRESHOLDS).flatMap((table) =>
    Object.values<object>(table).flatMap((one) => ("label" in one ? [String(one.label)] : [])),
  );
  const named = new RegExp(`["\`.](?:${keys.join("|")})\\b|\\b(?:${keys.join("|")}):`);
  const spelled = sources().filter(
    ([path, text]) =>
      path.startsWith("tower/") &&
      (named.test(text) || words.some((label) => label.includes(" ") && text.includes(label))),
  );
  expect(words.length).toBeGreaterThan(9);
  expect(spelled.map(([path]) => path)).toEqual([]);
});
