/** The one view of a projection: what is told, how much is not, and how much of it all could be judged. Pure. */

import { tallied } from "../base/statistics.ts";
import { capital, countWords } from "../base/text.ts";
import type { Capability } from "../health/catalogue.ts";
import type { KnownEvent } from "../health/events.ts";
import { HEALTH_STATES, type HealthState, type Scope } from "../health/health.ts";
import type { MonitoringFailure } from "../health/monitoring.ts";
import { ByTwo } from "./evidence.ts";
import type { CapabilityView, Coverage, HealthEventView, HealthView } from "./integrations.ts";
import { type Inventory, PART_WORDS } from "./inventory.ts";
import type { MonitoredTarget } from "./monitored_targets.ts";
import type { Projection } from "./report_states.ts";
import { type Capped, cappedOperations, isCounted, type TargetState, worstState } from "./target_state.ts";

/** What a view is made of. */
export interface Viewed {
  readonly workspace: string;
  readonly catalogue: readonly Capability[];
  readonly inventory: Inventory;
  readonly projection: Pick<Projection, "targets">;
  /** The latest events of the scopes that are shown, newest first; undefined where they could not be read. */
  readonly events: readonly KnownEvent[] | undefined;
  /** The one site that is asked for; undefined for all. */
  readonly asset: string | undefined;
  /** Of the one site each outcome of its archived reports, as far as they are told; undefined for all sites, and where they could not be read. */
  readonly reports: Capped | undefined;
  /** Whether storage refuses writes now. */
  readonly isRefused: boolean;
}

/** How everything stands, or one site. */
export function viewOf(viewed: Viewed): HealthView {
  const { workspace, catalogue, inventory, projection, events, asset, isRefused } = viewed;
  const all = targetsOf(projection, asset);
  const operations = cappedOperations(all.filter(({ monitored }) => !monitored.capability.ofReports));
  const archive = viewed.reports ?? together(all.filter(({ monitored }) => monitored.capability.ofReports));
  const told = [...operations.targets, ...archive.targets];
  const counted = told.filter(({ monitored }) => isCounted(monitored.capability));
  const summary = tallied(
    HEALTH_STATES,
    counted.map(({ view }) => view.state),
  );
  const monitoring = (inventory.parts.monitoring ?? []).filter(
    (one) => asset === undefined || one.asset === "" || one.asset === asset,
  );
  return {
    observedAt: newestOf(all, monitoring),
    workspace,
    coverage: coverageOf({
      inventory,
      isOfSite: asset !== undefined,
      areEventsUnread: events === undefined,
      isRefused,
      more: { archive: archive.more, operations: operations.more },
      configured: counted.length + operations.more,
      unmonitored: summary.unmonitored,
      monitoring: monitoring.length,
    }),
    summary,
    capabilities: capabilitiesOf(catalogue, told),
    events: (events ?? []).map(eventIn(catalogue)),
    monitoring: monitoring.toSorted(bySince),
  };
}

/** All reports of a property as one target: its outcomes are left out. */
function together(targets: readonly TargetState[]): Capped {
  const outcomes = targets.reduce(
    (sum, { view: { counts } }) => HEALTH_STATES.reduce((all, state) => all + (counts?.[state] ?? 0), sum),
    0,
  );
  return { targets, more: Math.max(0, outcomes - targets.length) };
}

/** The targets of one site, or all. */
function targetsOf(
  { targets }: Pick<Projection, "targets">,
  asset: string | undefined,
): readonly TargetState[] {
  return asset === undefined ? targets : targets.filter(({ monitored }) => monitored.asset === asset);
}

function newestOf(all: readonly TargetState[], monitoring: readonly MonitoringFailure[]): number | null {
  const newest = [...all.map(({ observedAt }) => observedAt), ...monitoring.map(({ since }) => since)].reduce(
    (a, b) => Math.max(a, b),
    0,
  );
  return newest === 0 ? null : newest;
}

interface Covered {
  readonly inventory: Inventory;
  readonly isOfSite: boolean;
  readonly areEventsUnread: boolean;
  readonly isRefused: boolean;
  readonly more: Coverage["more"];
  readonly configured: number;
  readonly unmonitored: number;
  readonly monitoring: number;
}

function coverageOf(covered: Covered): Coverage {
  const { configured, unmonitored, more } = covered;
  return { ...judged(covered), configured, monitored: configured - unmonitored, unmonitored, more };
}

/** How much could be judged. What cannot be read is never taken for what is not there. */
function judged(covered: Covered): Pick<Coverage, "state" | "reason"> {
  const { inventory, isOfSite, areEventsUnread, isRefused, more, configured, unmonitored, monitoring } =
    covered;
  const { unread } = inventory;
  if (unread.length > 0) {
    return {
      state: "unknown",
      reason: `This cannot be read: ${unread.map((part) => PART_WORDS[part]).join(", ")}.`,
    };
  }
  if (more.operations > 0) {
    return {
      state: "unknown",
      reason: `There is more than one read takes: ${countWords(more.operations, "operation")} left out.`,
    };
  }
  if (configured === 0) {
    return {
      state: "empty",
      reason: isOfSite ? "Nothing of this site is watched." : "Nothing is set up yet.",
    };
  }
  const reasons = [
    ...(unmonitored > 0 ? [`nothing observes ${countWords(unmonitored, "target")}`] : []),
    ...(monitoring > 0
      ? [`${countWords(monitoring, "thing")} that should be watched ${monitoring === 1 ? "is" : "are"} not`]
      : []),
    ...(areEventsUnread ? ["the history of events cannot be read"] : []),
    ...(isRefused ? ["storage refuses writes, so that what happens now leaves no evidence"] : []),
  ];
  if (reasons.length === 0) return { state: "complete", reason: null };
  return { state: "partial", reason: sentence(reasons) };
}

function sentence(parts: readonly string[]): string {
  return `${capital(parts.join("; "))}.`;
}

const QUIET: ReadonlySet<HealthState> = new Set(["working", "idle"]);

function capabilitiesOf(catalogue: readonly Capability[], told: readonly TargetState[]): CapabilityView[] {
  const byCapability = Map.groupBy(told, ({ monitored }) => monitored.capability.id);
  return catalogue.flatMap(({ id, label, provider, kind }) => {
    const targets = byCapability.get(id)?.map(({ view }) => view) ?? [];
    const state = worstState(targets.map((target) => target.state));
    if (state === undefined) return [];
    const affected = targets.filter((one) => one.asset !== "" && !QUIET.has(one.state));
    const affectedAssets = [...new Set(affected.map(({ asset }) => asset))].sort();
    return [{ capability: id, label, provider, kind, state, affectedAssets, targets }];
  });
}

/** An event as it is told. */
export function eventIn(catalogue: readonly Capability[]): (event: KnownEvent) => HealthEventView {
  const labels = new Map(catalogue.map(({ id, label }) => [id, label]));
  return ({ id, at, scope, change, category, categoryBefore }) => ({
    id,
    at,
    capability: scope.capability,
    label: labels.get(scope.capability) ?? scope.capability,
    asset: scope.asset,
    target: scope.target,
    family: scope.family,
    change,
    category,
    categoryBefore,
  });
}

const bySince = (a: MonitoringFailure, b: MonitoringFailure): number =>
  a.since - b.since || keyOf(a).localeCompare(keyOf(b));

const keyOf = ({ kind, asset, source, subject }: MonitoringFailure): string =>
  [kind, asset, source, subject].join("\n");

/** Which scopes have events to be shown. */
export interface ShownScopes {
  readonly isShown: (scope: Scope) => boolean;
  /** Those of properties whose reports are archived, without the report. */
  readonly ofReports: readonly Scope[];
}

/** The scopes of the targets, of the reports of theirs, and of the whole connections that sites are asked over. */
export function shownScopes(
  { targets }: Pick<Projection, "targets">,
  { workspace, asset: wanted }: { readonly workspace: string; readonly asset: string | undefined },
): ShownScopes {
  const active = new ByTwo<MonitoredTarget>();
  const connections = new ByTwo<MonitoredTarget>();
  const ofReports: Scope[] = [];
  for (const { monitored } of targets) {
    if (wanted !== undefined && monitored.asset !== wanted) continue;
    const { asset, connectionRevision, target, capability } = monitored;
    active.add(capability.id, asset, monitored);
    if (connectionRevision !== "") connections.add(capability.id, connectionRevision, monitored);
    if (capability.ofReports) {
      const { provider, id } = capability;
      ofReports.push({ workspace, provider, connectionRevision, capability: id, asset, target, family: "" });
    }
  }
  const isShown = (scope: Scope) => {
    if (scope.workspace !== workspace) return false;
    const { capability, connectionRevision, target, family } = scope;
    if (scope.asset === "" && connections.get(capability, connectionRevision).length > 0) return true;
    return active
      .get(capability, scope.asset)
      .some(
        (one) =>
          one.target === target &&
          one.connectionRevision === connectionRevision &&
          (family === "" || one.capability.ofReports),
      );
  };
  return { isShown, ofReports };
}
