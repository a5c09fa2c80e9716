import { describe, expect, test } from "bun:test";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { evaluateFlow } from "../../../src/rules/flow.ts";
import { flowRuleInputs } from "../../../src/rules/flow_inputs.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Facts, inputFacts, secondFacts } from "../../../src/tower/kit/proof.tsx";
import { instant } from "../../support/clock.ts";
import { historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { parsed, textOf } from "../../support/html.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = instant("2026-11-20T14:00:00Z");
const read = (facts: ReturnType<typeof inputFacts>) =>
  new Map(
    facts.map(([name, value]) => [
      name,
      textOf(parsed(inPage(() => render(<Facts facts={[[name, value]]} />)))).slice(name.length),
    ]),
  );

describe("the inputs of a flow flag as facts", () => {
  test("both windows, both chances, the level, the shape of the week and the odd days are written out", () => {
    const counts = (back: number) => (back < 2 ? 0 : back === 14 ? 90 : 4 + ((back * 5) % 7));
    const verdict = evaluateFlow(historyOf(140, counts), TESTED_DAY, {
      ...DEFAULT_FLOW_THRESHOLDS,
      dispersion: 4,
    });
    if (verdict.outcome !== "tested") throw new Error(verdict.reason);
    const inputs: RuleInputs = flowRuleInputs(verdict);
    const facts = read(inPage(() => inputFacts(inputs, NOW), { now: NOW }));
    const second = read(inPage(() => secondFacts(inputs, NOW), { now: NOW }));
    expect(facts.get("Window")).toBe("1 day");
    expect(second.get("Window")).toBe("2 days");
    expect(facts.get("Chance, counts alone")).toEndWith("for this few");
    expect(second.get("Chance, mid-p")).toEndWith("for this few");
    expect(second.get("Level")).toMatch(/^\d\.\d+ a day \(20 Oct to 16 Nov: \d+ on 27 days/);
    expect(second.get("Shares of the week")).toMatch(/^Sunday \d\.\d\d, Monday .* \(19 Aug to 17 Nov\)$/);
    expect(facts.get("Dispersion, odd days")).toContain("4 Nov");
  });
});

test("bytes are said in their units, a disk's total too; the total of a metric stays a count", () => {
  const disk = { free_below: 2 ** 27, total: 2 ** 31, thresholds: { bytes: 2 ** 28, share: 0.05 } };
  expect([...read(inPage(() => inputFacts(disk, NOW)))]).toEqual([
    ["Free, less than", "128 MiB"],
    ["Total", "2 GiB"],
    ["Fires at, bytes", "256 MiB"],
    ["Fires at, share", "5%"],
  ]);
  expect(read(inPage(() => inputFacts({ milestone: 2_000, total: 2_048 }, NOW))).get("Total")).toBe("2,048");
});
