import { expect, test } from "bun:test";
import { flowRuleId, flowSeverity } from "../../src/flow/severity.ts";

test("flow: a drop warns as an anomaly and a rise informs as an opportunity", () => {
  expect(flowSeverity("drop", false)).toEqual({ severity: "warn", kind: "anomaly" });
  expect(flowSeverity("rise", false)).toEqual({ severity: "info", kind: "opportunity" });
});

test("flow: for a metric where more is worse it is the other way round", () => {
  expect(flowSeverity("rise", true)).toEqual({ severity: "warn", kind: "anomaly" });
  expect(flowSeverity("drop", true)).toEqual({ severity: "info", kind: "opportunity" });
});

test("flow: each direction is a rule of its own", () => {
  expect([flowRuleId("drop"), flowRuleId("rise")]).toEqual(["flow-drop", "flow-rise"]);
});
