import { expect, test } from "bun:test";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import type { MonitoringFailure } from "../../../src/health/monitoring.ts";
import type { CapabilityView, HealthView, TargetView } from "../../../src/integrations/integrations.ts";
import { nextSteps } from "../../../src/tower/integrations/next_steps.tsx";

const target = (state: HealthState): TargetView => ({
  asset: `of-${state}`,
  target: "",
  family: "",
  connectionRevision: "",
  state,
  category: null,
  lastAttemptStartedAt: null,
  lastSuccessStartedAt: null,
  coveredDate: null,
  dueAt: null,
  nextRetryAt: null,
  nextRetryReason: null,
  action: { code: "none", text: "" },
  why: "",
  since: null,
  pausedUntil: null,
  counts: null,
});

const capability: CapabilityView = {
  capability: "ingest.nightly",
  label: "Nightly reports",
  provider: "ingest",
  kind: "ingest",
  state: "failing",
  affectedAssets: [],
  targets: HEALTH_STATES.toReversed().map(target),
};

const failure = (change: Partial<MonitoringFailure>): MonitoringFailure => ({
  kind: "rule",
  asset: "",
  source: "pulse",
  subject: "visits",
  since: 1,
  reason: "Too large.",
  ...change,
});

test("what fails and what is not known come first, then what is not watched, then the machine, then what is late; well is nothing of it", () => {
  const view = {
    capabilities: [capability],
    monitoring: [
      failure({ asset: "a" }),
      failure({ asset: "b", subject: "signups" }),
      failure({ kind: "job", subject: "sense", reason: "It broke off." }),
      failure({ kind: "job", subject: "freshness", reason: "It broke off." }),
    ],
  } as Partial<HealthView> as HealthView;
  const steps = nextSteps(view, ["The disk is nearly full."]).map((step) =>
    step.is === "need"
      ? step.need.targets[0].state
      : step.is === "storage"
        ? step.words
        : step.failures.map(({ asset, subject }) => `${asset} ${subject}`),
  );
  expect(steps).toEqual([
    "failing",
    "unknown",
    ["a visits", "b signups"],
    [" sense"],
    [" freshness"],
    "The disk is nearly full.",
    "stale",
    "disconnected",
  ]);
});
