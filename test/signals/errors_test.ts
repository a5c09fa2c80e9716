/** Whether an error of the provider costs anything (which is which is recorded beside `any_answer_test.ts`); costs by their own digits. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { FAULT_CODES } from "../../src/providers/faults.ts";
import { nanoDollars } from "../../src/providers/serp.ts";
import { shared } from "../support/fresh.ts";
import { panelledTower } from "../support/panelled.ts";

const at = shared(panelledTower);

const error = (code: string): Fault => ({ kind: "error", error: code });
const bent = (bend: (answer: { tasks: { data: object }[]; cost?: number }) => unknown): Fault => ({
  kind: "bent",
  bend: bend as (answer: never) => unknown,
});
const told = (of: object): Fault =>
  bent((answer) => ({
    ...answer,
    tasks: answer.tasks.map((task) => ({ ...task, data: { ...task.data, ...of } })),
  }));

const found = (result: unknown): Fault =>
  bent((answer) => ({ ...answer, tasks: answer.tasks.map((task) => ({ ...task, result })) }));

const ROWS: readonly (readonly [what: string, fault: Fault, category: string | null, cost: number | null])[] =
  [
    ["40101 is transient, not about access", error("40101"), "provider_error", 0],
    ["40102 no results is a valid empty panel", error("40102"), null, 0.002],
    ["an answer to another keyword, paid", told({ keyword: "other" }), "invalid_report", 0.0035],
    ["one of another place, paid", told({ location_code: 1 }), "invalid_report", 0.0035],
    ["one of another device, paid", told({ device: "mobile" }), "invalid_report", 0.0035],
    ["one without a list of results, paid", found([{}]), "incomplete_report", 0.0035],
    [
      "one with a result that has no rank, paid",
      found([{ items: [{ type: "organic" }] }]),
      "invalid_report",
      0.002,
    ],
    [
      "a task that failed and does not say why",
      bent((answer) => ({ ...answer, tasks_error: 1 })),
      "provider_error",
      0.0035,
    ],
    ["an answer without a cost", bent(({ cost: _, ...answer }) => answer), null, null],
    ["a gateway's page", { kind: "html", status: 502 }, "provider_error", null],
    ["a body that is cut", { kind: "cut-body" }, "network", null],
    ["JSON that ends early", { kind: "cut-json" }, "incomplete_report", null],
  ];

describe("what an error comes to", () => {
  test.each(ROWS)("%s", async (what, fault, category, cost) => {
    at.simulators.script(fault, { server: "serp" });
    // Each row in a place of its own, so that none waits for another.
    const panel = await at.add({ location: 1_016 + ROWS.findIndex(([row]) => row === what) });
    const before = at.questions();
    await at.ask();
    expect(at.questions() - before).toBe(1);
    const [run] = (await at.runs()).filter((one) => one["panel"] === panel.id);
    expect(run?.["cost"]).toBe(cost);
    const code = at.tower.deps.store.raw
      .query<{ code: keyof typeof FAULT_CODES | null }, []>(
        "SELECT code FROM panel_result ORDER BY id DESC LIMIT 1",
      )
      .get()?.code;
    expect(code ? FAULT_CODES[code].category : null).toBe(category as never);
  });
});

test("a cost is read digit by digit: billionths of a dollar, whatever a floating-point number would make of it", () => {
  expect(["0.0035", "3.5e-3", "0.0035000000000000001", "0", "12"].map(nanoDollars)).toEqual([
    ...[3_500_000, 3_500_000, 3_500_000, 0, 12_000_000_000],
  ]);
  fc.assert(
    fc.property(fc.nat(999_999), fc.nat(999_999_999), (whole, nano) => {
      expect(nanoDollars(`${whole}.${String(nano).padStart(9, "0")}`)).toBe(whole * 1_000_000_000 + nano);
    }),
  );
});
