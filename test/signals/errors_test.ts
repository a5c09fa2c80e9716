/** Each documented error of the provider: its category, and whether it costs anything; costs by their own digits. */

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

const ROWS: readonly (readonly [what: string, fault: Fault, category: string | null, cost: number | null])[] =
  [
    ["40000 one task at a time", error("40000-top"), "configuration", 0],
    ["40001 bad data", error("40001-top"), "configuration", 0],
    ["40100 not authorised, HTTP 401", error("40100-top"), "access", 0],
    ["40101 is transient, not about access", error("40101"), "provider_error", 0],
    ["40102 no results is a valid empty panel", error("40102"), null, 0.002],
    ["40103 task failed", error("40103"), "provider_error", 0],
    ["40200 payment required, HTTP 402", error("40200-top"), "exhausted_budget", 0],
    ["40201 suspended", error("40201"), "access", 0],
    ["40202 too many a minute, in HTTP 200", error("40202"), "rate_limit", 0],
    ["40203 the account's own daily limit", error("40203"), "exhausted_budget", 0],
    ["40209 too many at once", error("40209"), "rate_limit", 0],
    ["40210 insufficient funds", error("40210"), "exhausted_budget", 0],
    ["40400 not found, HTTP 404", error("40400-top"), "configuration", 0],
    ["40403 not found", error("40403"), "configuration", 0],
    ["40501 invalid field", error("40501"), "configuration", 0],
    ["40601 not finished", error("40601"), "incomplete_report", 0],
    ["50000 internal, HTTP 500", error("50000-top"), "provider_error", 0],
    ["20100 of the queue", error("20100"), "invalid_report", 0],
    ["an answer to another keyword, paid", told({ keyword: "other" }), "invalid_report", 0.0035],
    ["one of another place, paid", told({ location_code: 1 }), "invalid_report", 0.0035],
    ["one of another device, paid", told({ device: "mobile" }), "invalid_report", 0.0035],
    ["an answer without a cost", bent(({ cost: _, ...answer }) => answer), null, null],
    ["a gateway's page", { kind: "html", status: 502 }, "provider_error", null],
    ["a body that is cut", { kind: "cut-body" }, "network", null],
    ["JSON that ends early", { kind: "cut-json" }, "incomplete_report", null],
  ];

describe("what a documented error comes to", () => {
  test.each(ROWS)("%s", async (what, fault, category, cost) => {
    at.simulators.script(fault, { server: "serp" });
    // Each row in a place of its own, so that none waits for another.
    const panel = await at.add({ location: 1_000 + ROWS.findIndex(([row]) => row === what) });
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
