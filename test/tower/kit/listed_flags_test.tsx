import { expect, test } from "bun:test";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { evaluateFlow } from "../../../src/rules/flow.ts";
import { flowRuleInputs } from "../../../src/rules/flow_inputs.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { ListedFlags } from "../../../src/tower/kit/listed_flags.tsx";
import { instant } from "../../support/clock.ts";
import { historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { parsed, textOf } from "../../support/html.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = instant("2026-11-20T14:00:00Z");

function shown(ruleInputs: RuleInputs): string {
  const flag = {
    id: "1",
    rule: "flow-drop",
    severity: "warn",
    kind: "anomaly",
    message: "0 signups on 18 Nov.",
    raisedAt: instant("2026-11-18T02:17:00Z"),
    resolvedAt: null,
    ruleInputs,
  } as const;
  return textOf(parsed(render(inPage(() => <ListedFlags flags={[flag]} />, { now: NOW }))));
}

test("a listed flow flag shows both windows and the days of its cohort as words, nothing as an object or a raw day", () => {
  const counts = (back: number) => (back < 2 ? 0 : back === 14 ? 90 : 4 + ((back * 5) % 7));
  const verdict = evaluateFlow(historyOf(140, counts), TESTED_DAY, {
    ...DEFAULT_FLOW_THRESHOLDS,
    dispersion: 4,
  });
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  const text = shown(flowRuleInputs(verdict));
  expect(text).not.toContain("[object");
  expect(text).not.toMatch(/\d{4}-\d{2}-\d{2}/);
  expect(text).toContain("(11 Nov)");
  expect(text).toContain("Chance, mid-p");
});

test("a listed codebase flag shows its report by day and the threshold it passed", () => {
  const text = shown({
    duplication_percent: 9,
    thresholds: { duplication_percent: 8 },
    report: { date: "2026-11-18", revision: 2 },
    comparison: null,
  });
  expect(text).toContain("Fires at, duplication percent8%");
  expect(text).toContain("Report18 Nov, revision 2");
});

test("a tool with a name that every object has is told by it", () => {
  expect(shown({ tools_updated: { toString: "1 -> 2" } })).toContain("in between, toString1 -> 2");
});

test("a listed codebase flag whose numbers two versions of a tool made says so, and what was said beside them", () => {
  const inputs = {
    code_lines: 2_000,
    code_lines_before: 1_000,
    thresholds: { growth_percent: 25, growth_lines: 500 },
  };
  const words = "Measuring tools updated between its two reports";
  expect(shown(inputs)).not.toContain(words);
  const text = shown({
    ...inputs,
    notes: { code_lines: "without src/big.c" },
    tools_updated: { line_counter: "codelines 1.0.0 -> codelines 1.1.0" },
  });
  expect(text).toContain(words);
  expect(text).toContain("line countercodelines 1.0.0 -> codelines 1.1.0");
  expect(text).toContain("Said beside it, Lines of codewithout src/big.c");
});
