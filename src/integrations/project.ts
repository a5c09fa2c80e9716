/** From what is stored to the one view of it. Pure. */
import { HEALTH_STATES, type HealthState } from "../health/contract.ts";
import { REPORT_ROUTES } from "../refusals/mod.ts";
import type { CapabilityView, Coverage, HealthView, TargetView } from "./contract.ts";
import type { Inventory } from "./inventory.ts";
import { noCounts, worstState } from "./site_health.ts";

/** What is projected, for whom. */
export interface Projected {
  readonly workspace: string;
  readonly inventory: Inventory;
  /** How long a site may be silent, in milliseconds. */
  readonly silentMsOf: (asset: string) => number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The one site that is asked for; undefined for all. */
  readonly asset?: string | undefined;
}

/** How everything stands. */
export function project({ workspace, inventory, silentMsOf, now, asset }: Projected): HealthView {
  const targets = inventory.sites
    .filter(({ id }) => asset === undefined || id === asset)
    .map((site) => nightlyOf(site.id, site.lifecycle === "live", inventory, silentMsOf(site.id), now));
  const capabilities = capabilityOf(targets);
  const summary = noCounts();
  for (const { state } of targets) summary[state] += 1;
  const heard = [...inventory.heard]
    .filter(([id]) => asset === undefined || id === asset)
    .map(([, at]) => at);
  return {
    observedAt: heard.length === 0 ? null : Math.max(...heard),
    workspace,
    coverage: coverageOf(targets.length, summary.unmonitored, inventory.monitoring.length),
    summary,
    capabilities,
    events: [],
    monitoring: inventory.monitoring.filter((one) => asset === undefined || ["", asset].includes(one.asset)),
  };
}

function coverageOf(configured: number, unmonitored: number, failures: number): Coverage {
  const counts = {
    configured,
    monitored: configured - unmonitored,
    unmonitored,
  };
  const more = { archive: 0, operations: 0 };
  if (configured === 0) return { state: "empty", reason: "No site is set up.", ...counts, more };
  if (unmonitored + failures === 0) return { state: "complete", reason: null, ...counts, more };
  return {
    state: "partial",
    reason: "Not everything is monitored.",
    ...counts,
    more,
  };
}

function capabilityOf(targets: readonly TargetView[]): CapabilityView[] {
  const state = worstState(targets.map((target) => target.state));
  if (state === undefined) return [];
  return [
    {
      capability: "ingest.nightly",
      label: "Nightly report",
      provider: "ingest",
      kind: "ingest",
      state,
      affectedAssets: targets.filter(isAffected).map(({ asset }) => asset),
      targets,
    },
  ];
}

const isAffected = ({ state }: TargetView): boolean =>
  HEALTH_STATES.indexOf(state) < HEALTH_STATES.indexOf("idle");

function nightlyOf(
  asset: string,
  isLive: boolean,
  { heard, streaks }: Inventory,
  silentMs: number,
  now: number,
): TargetView {
  const heardAt = heard.get(asset) ?? null;
  const streak = streaks.get(asset)?.find(({ route }) => route === REPORT_ROUTES.nightly);
  const refusedAt = streak === undefined || (heardAt ?? 0) > streak.lastAt ? null : streak.lastAt;
  const dueAt = isLive && heardAt !== null ? heardAt + silentMs : null;
  const isSilent = dueAt !== null && now >= dueAt;
  const state: HealthState =
    refusedAt !== null
      ? "failing"
      : heardAt === null
        ? "never_run"
        : isSilent
          ? "stale"
          : isLive
            ? "working"
            : "idle";
  return {
    asset,
    target: "",
    family: "",
    connectionRevision: "",
    state,
    category: refusedAt === null ? null : "invalid_report",
    lastAttemptStartedAt: refusedAt ?? heardAt,
    lastSuccessStartedAt: heardAt,
    coveredDate: null,
    dueAt,
    nextRetryAt: null,
    nextRetryReason: null,
    action: { code: "none", text: "Nothing to do." },
    why: "",
    since: refusedAt ?? (isSilent ? dueAt : null),
    pausedUntil: null,
  };
}
