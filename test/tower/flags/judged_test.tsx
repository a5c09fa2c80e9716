import { expect, test } from "bun:test";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { evaluateFlow } from "../../../src/rules/flow.ts";
import { flowRuleInputs } from "../../../src/rules/flow_inputs.ts";
import { JudgedProof } from "../../../src/tower/flags/judged.tsx";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { instant } from "../../support/clock.ts";
import { historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { parsed, textOf } from "../../support/html.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = instant("2026-11-20T14:00:00Z");

const shown = (inputs: RuleInputs): string =>
  textOf(
    parsed(
      render(inPage(() => <JudgedProof sentences={[]} rule="flow-drop" inputs={inputs} />, { now: NOW })),
    ),
  );

test("the inputs of a flow flag show both windows and the days of its cohort as words, nothing as an object or a raw day", () => {
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

test("the inputs of a codebase flag show its report by day and the threshold it passed", () => {
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
