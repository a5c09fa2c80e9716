import { expect, test } from "bun:test";
import type { MonitoringFailure } from "../../../src/health/monitoring.ts";
import type { HealthView } from "../../../src/integrations/integrations.ts";
import { nextSteps } from "../../../src/tower/integrations/system_health.tsx";

const failure = (change: Partial<MonitoringFailure>): MonitoringFailure => ({
  kind: "rule",
  asset: "",
  source: "pulse",
  subject: "visits",
  since: 1,
  reason: "Too large.",
  ...change,
});

test("the machine comes first, then what is not watched, one row for each cause", () => {
  const view = {
    monitoring: [
      failure({ asset: "a" }),
      failure({ asset: "b", subject: "signups" }),
      failure({ kind: "job", subject: "sense", reason: "It broke off." }),
      failure({ kind: "job", subject: "freshness", reason: "It broke off." }),
    ],
  } as Partial<HealthView> as HealthView;
  const steps = nextSteps(view, ["The disk is nearly full."]).map((step) =>
    step.is === "storage" ? step.words : step.failures.map(({ asset, subject }) => `${asset} ${subject}`),
  );
  expect(steps).toEqual(["The disk is nearly full.", ["a visits", "b signups"], [" sense"], [" freshness"]]);
});
