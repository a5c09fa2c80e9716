/** Views of integration health for tests of pages: what a test does not say stands as in a service where everything works. */

import { tallied } from "../../src/base/statistics.ts";
import { type CapabilityKind, HEALTH_STATES, type HealthState } from "../../src/health/health.ts";
import type { MonitoringFailure } from "../../src/health/monitoring.ts";
import type {
  CapabilityView,
  HealthEventView,
  HealthView,
  TargetView,
} from "../../src/integrations/integrations.ts";
import { worstState } from "../../src/integrations/target_state.ts";
import { instant } from "./clock.ts";

/** When the views of tests were written down. */
export const OBSERVED_AT = instant("2026-11-19T12:15:00Z");

/** A target of a site that works. */
export function healthTarget(given: Partial<TargetView> & { readonly asset: string }): TargetView {
  const state = given.state ?? "working";
  return {
    target: "",
    family: "",
    connectionRevision: "",
    state,
    category: state === "failing" ? "network" : state === "unknown" ? "monitoring_failure" : null,
    lastAttemptStartedAt: state === "never_run" ? null : OBSERVED_AT,
    lastSuccessStartedAt: state === "never_run" ? null : OBSERVED_AT,
    coveredDate: state === "never_run" ? null : "2026-11-18",
    dueAt: null,
    nextRetryAt: null,
    nextRetryReason: null,
    action: { code: "none", text: "Nothing to do." },
    why: "",
    since: null,
    pausedUntil: null,
    counts: null,
    ...given,
  };
}

/** A capability with these targets. */
export function healthCapability(
  given: Partial<CapabilityView> & {
    readonly capability: string;
    readonly targets: readonly TargetView[];
  },
): CapabilityView {
  const [provider = ""] = given.capability.split(".");
  const isIngest = provider === "ingest" || provider === "annotations";
  const kind: CapabilityKind = isIngest ? "ingest" : "production_read";
  const quiet: ReadonlySet<HealthState> = new Set(["idle", "working"]);
  return {
    label: given.capability,
    provider,
    kind,
    state: worstState(given.targets.map(({ state }) => state)) ?? "idle",
    affectedAssets: given.targets.filter(({ state }) => !quiet.has(state)).map(({ asset }) => asset),
    ...given,
  };
}

/** A view with these capabilities; counts and coverage are theirs where they are not given. */
export function healthFixture(
  given: Partial<Omit<HealthView, "capabilities" | "coverage">> & {
    readonly capabilities?: readonly CapabilityView[];
    readonly coverage?: Partial<HealthView["coverage"]>;
    readonly events?: readonly HealthEventView[];
    readonly monitoring?: readonly MonitoringFailure[];
  } = {},
): HealthView {
  const { capabilities = [], monitoring = [], ...rest } = given;
  const summary = tallied(
    HEALTH_STATES,
    capabilities.flatMap(({ targets }) => targets.map(({ state }) => state)),
  );
  const configured = capabilities.reduce((sum, { targets }) => sum + targets.length, 0);
  const { unmonitored } = summary;
  const isWhole = unmonitored + monitoring.length === 0;
  return {
    observedAt: configured === 0 ? null : OBSERVED_AT,
    workspace: "default",
    events: [],
    ...rest,
    summary: given.summary ?? summary,
    capabilities,
    monitoring,
    coverage: {
      state: configured === 0 ? "empty" : isWhole ? "complete" : "partial",
      reason: configured === 0 ? "Nothing is set up yet." : isWhole ? null : "Not everything is monitored.",
      configured,
      monitored: configured - unmonitored,
      unmonitored,
      more: { archive: 0, operations: 0 },
      ...given.coverage,
    },
  };
}
