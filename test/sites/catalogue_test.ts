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
  shortName,
} from "../../src/sites/rule_catalogue.ts";
import {
  defaultsOf,
  isWithin,
  THRESHOLDS,
  type Threshold,
  type ThresholdKey,
  type ThresholdTable,
} from "../../src/sites/thresholds.ts";
import { recordEach } from "../support/mixtures.ts";
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

test("what each rule raises, also for a metric where more is worse, and of which thing it is one; recorded", () => {
  recordEach([...FLOW_RULES, "flow-decline", "flow-growth"] as const, (rule) => [
    flowRaisedAs(rule, false),
    flowRaisedAs(rule, true),
    rulesOfThing(rule),
  ]);
  expect([flowRuleId("drop"), flowRuleId("rise"), rulesOfThing("codebase-growth")]).toMatchSnapshot();
  expect([CODEBASE_RULES, FLOW_RULES]).toMatchSnapshot();
});

test("a rule's short name is its side", () => {
  expect(["flow-drop", "percent-drop", "flow-growth", "milestone-total"].map(shortName)).toEqual([
    "drop",
    "percent drop",
    "growth",
    "milestone total",
  ]);
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
  expect([DEFAULT_CODEBASE_THRESHOLDS, DEFAULT_FLOW_THRESHOLDS, defaultsOf("freshness")]).toMatchSnapshot();
  const outside = TABLES.flatMap((table) =>
    Object.entries<Threshold>(THRESHOLDS[table]).filter(
      ([, { default: value, bounds }]) => typeof value === "number" && !isWithin(bounds, value),
    ),
  );
  expect(outside).toStrictEqual([]);
});

test("every threshold is read by a rule", () => {
  const read = Object.values<Rule>(RULES).flatMap(({ reads }): readonly string[] => reads?.keys ?? []);
  expect(
    TABLES.flatMap((table): readonly string[] => keysOf(table)).filter((key) => !read.includes(key)),
  ).toStrictEqual([]);
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
  expect(spelled.map(([path]) => path)).toStrictEqual([]);
});
