/** The payload has the same fields in every state, and says nothing by an empty text: recorded. */

import { expect, test } from "bun:test";
import { HEALTH_STATES } from "../../src/health/health.ts";
import type { HealthEventView } from "../../src/integrations/integrations.ts";
import { payloadOf } from "../../src/integrations/payload.ts";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../support/health.ts";

test("targets of every state, an event and a thing that is not watched", () => {
  const targets = HEALTH_STATES.flatMap((state) => [
    healthTarget({ asset: "harbor", state, target: state === "failing" ? "x" : "" }),
    healthTarget({ asset: "", state, family: "[]", connectionRevision: "r", dueAt: OBSERVED_AT }),
  ]);
  const event: HealthEventView = {
    ...{ id: "e", at: OBSERVED_AT, capability: "analytics.daily", label: "Analytics, daily", target: "" },
    ...{ asset: "", family: "", change: "category_change", category: "network", categoryBefore: "access" },
  };
  const job = {
    kind: "job",
    asset: "",
    source: "",
    subject: "sense",
    since: OBSERVED_AT,
    reason: "It did not run.",
  } as const;
  const { capabilities, ...payload } = payloadOf(
    healthFixture({
      capabilities: [healthCapability({ capability: "analytics.daily", targets })],
      events: [event, { ...event, id: "f", asset: "harbor", target: "x", family: "[]" }],
      monitoring: [job, { ...job, kind: "rule", asset: "harbor", source: "pulse", subject: "" }],
    }),
  );
  expect(payload).toMatchSnapshot();
  for (const { targets, ...capability } of capabilities)
    expect([capability, ...targets].map((one) => JSON.stringify(one)).join("\n")).toMatchSnapshot();
});
