/** Integration health in tests: views for pages, where what a test does not say works, and the payload as a program reads it. */

import { tallied } from "../../src/base/statistics.ts";
import { type CapabilityKind, HEALTH_STATES, type HealthState } from "../../src/health/health.ts";
import type { MonitoringFailure } from "../../src/health/monitoring.ts";
import type {
  CapabilityView,
  HealthEventView,
  HealthView,
  TargetView,
} from "../../src/integrations/integrations.ts";
import type { payloadOf } from "../../src/integrations/payload.ts";
import { byUrgency, siteHealth } from "../../src/integrations/target_state.ts";
import { instant } from "./clock.ts";
import type { TestTower } from "./test_tower.ts";

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
export function healthCapability({
  capability,
  ...given
}: Partial<CapabilityView> & {
  readonly capability: string;
  readonly targets: readonly TargetView[];
}): CapabilityView {
  const [provider = ""] = capability.split(".");
  const isIngest = provider === "ingest" || provider === "annotations";
  const kind: CapabilityKind = isIngest ? "ingest" : "production_read";
  const quiet: ReadonlySet<HealthState> = new Set(["idle", "working"]);
  return {
    capability,
    label: capability,
    provider: provider as CapabilityView["provider"],
    kind,
    state: given.targets.map(({ state }) => state).sort(byUrgency)[0] ?? "idle",
    affectedAssets: given.targets.filter(({ state }) => !quiet.has(state)).map(({ asset }) => asset),
    ...given,
  };
}

function sitesOf(capabilities: readonly CapabilityView[]): HealthView["sites"] {
  const all = capabilities.flatMap((capability) =>
    capability.targets.map((view) => ({ monitored: { capability }, view })),
  );
  return new Map(
    [...Map.groupBy(all, ({ view }) => view.asset)].flatMap(([asset, targets]) => {
      const health = asset === "" ? undefined : siteHealth(targets);
      return health === undefined ? [] : [[asset, health]];
    }),
  );
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
    sites: given.sites ?? sitesOf(capabilities),
    portfolio: given.portfolio,
    nights: given.nights,
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

// Asks a service for its health as a program does.

/** The payload, and a target of it. */
export type ToldHealth = ReturnType<typeof payloadOf>;
export type ToldTarget = ToldHealth["capabilities"][number]["targets"][number];

/** Asks over HTTP, as an operator whom a proxy names. */
export function askHealth(
  tower: TestTower,
  { search = "", headers = {} }: { readonly search?: string; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return tower.ask(`/api/integrations/health${search}`, { headers });
}

/** The payload, of one site where it is named. */
export async function readHealth(tower: TestTower, asset?: string): Promise<ToldHealth> {
  const answer = await askHealth(tower, { search: asset === undefined ? "" : `?asset=${asset}` });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as ToldHealth;
}

/** The one target of a capability, of a site where it is named. */
export function targetIn(health: ToldHealth, capability: string, asset?: string): ToldTarget {
  const targets = health.capabilities
    .filter((one) => one.capability === capability)
    .flatMap((one) => one.targets)
    .filter((one) => asset === undefined || one.asset === asset);
  const [target] = targets;
  if (target === undefined || targets.length > 1) {
    throw new Error(`${capability} has ${targets.length} targets: ${JSON.stringify(health)}`);
  }
  return target;
}
