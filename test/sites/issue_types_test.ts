import { expect, test } from "bun:test";
import { ISSUE_TYPES, issueTypeOf, RULES } from "../../src/sites/rule_catalogue.ts";

test("every type of issue has a stable id and a bit of its own, and 5xx, malware and DNS alone warn", () => {
  expect(ISSUE_TYPES.map(({ id, bit }) => [id, bit])).toMatchSnapshot();
  const warning = ISSUE_TYPES.filter(({ severity }) => severity === "warn");
  expect(warning.map(({ id }) => id)).toEqual(["http_5xx", "malware", "dns_failure"]);
  expect(RULES["provider-issue"].raised).toEqual({ severity: "info", kind: "opportunity" });
  expect(issueTypeOf("toString")).toBeUndefined();
});
