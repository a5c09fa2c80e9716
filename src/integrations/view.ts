/** The one view of a projection: what is told, how much is not, and how much of it all could be judged. Pure. */

import { tallied } from "../base/statistics.ts";
import { capital, countWords } from "../base/text.ts";
import type { Capability } from "../health/catalogue.ts";
import { HEALTH_STATES, type HealthState, type Scope } from "../health/health.ts";
import type { MonitoringFailure } from "../health/monitoring.ts";
import type { KnownEvent } from "../health/state_store.ts";
import type { CapabilityView, Coverage, HealthEventView, HealthView, TargetView } from "./integrations.ts";
import { type Inventory, PART_WORDS } from "./inventory.ts";
import type { Projection, ReportStates } from "./report_states.ts";
import { beyondBound, isCounted, type TargetState, worstState } from "./target_state.ts";

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
  readonly reports: ReportStates | undefined;
  /** Whether storage refuses writes now. */
  readonly isRefused: boolean;
}

/** How everything stands, or one site. */
export function viewOf(viewed: Viewed): HealthView {
  const { workspace, catalogue, inventory, projection, events, asset, reports } = viewed;
  const all =
    asset === undefined
      ? projection.targets
      : projection.targets.filter(({ monitored }) => monitored.asset === asset);
  const groups = Map.groupBy(all, ({ monitored }) => monitored.capability);
  const leftOut = beyondBound(groups);
  const known = catalogue.flatMap((of) => {
    const targets =
      (of.ofReports ? reports?.targets.filter(({ monitored }) => monitored.capability === of) : undefined) ??
      groups.get(of) ??
      [];
    return targets.length === 0 ? [] : [{ of, targets }];
  });
  const told = known.flatMap(({ of, targets: all }) => {
    const targets = leftOut.size === 0 ? all : all.filter((one) => !leftOut.has(one));
    return targets.length === 0 ? [] : [{ of, targets: targets.map(({ view }) => view) }];
  });
  const counted = told.filter(({ of }) => isCounted(of)).flatMap(({ targets }) => targets);
  const summary = tallied(
    HEALTH_STATES,
    counted.map(({ state }) => state),
  );
  const monitoring = (inventory.parts.monitoring ?? []).filter(
    (one) => asset === undefined || one.asset === "" || one.asset === asset,
  );
  const { unmonitored } = summary;
  const configured = counted.length + leftOut.size;
  const coverage = (operations: number) =>
    coverageOf(viewed, monitoring.length, {
      ...{ configured, monitored: configured - unmonitored, unmonitored },
      more: { archive: reports?.more ?? outcomesTogether(groups), operations },
    });
  return {
    observedAt: newestOf(all, monitoring),
    workspace,
    coverage: coverage(leftOut.size),
    summary,
    capabilities: told.map(({ of, targets }) => capabilityView(of, targets)),
    events: (events ?? []).map(eventIn(catalogue)),
    monitoring: monitoring.toSorted(bySince),
    ...(leftOut.size > 0 && {
      unbounded: {
        coverage: coverage(0),
        capabilities: known.map(({ of, targets }) =>
          capabilityView(
            of,
            targets.map(({ view }) => view),
          ),
        ),
      },
    }),
  };
}

/** How many outcomes are left out where all reports of a property are one target. */
function outcomesTogether(groups: ReadonlyMap<Capability, readonly TargetState[]>): number {
  let outcomes = 0;
  for (const [{ ofReports }, targets] of groups) {
    if (!ofReports) continue;
    for (const { view } of targets) {
      if (view.counts !== null) for (const state of HEALTH_STATES) outcomes += view.counts[state];
    }
    outcomes -= targets.length;
  }
  return Math.max(0, outcomes);
}

function newestOf(all: readonly TargetState[], monitoring: readonly MonitoringFailure[]): number | null {
  let newest = 0;
  for (const { observedAt } of all) newest = Math.max(newest, observedAt);
  for (const { since } of monitoring) newest = Math.max(newest, since);
  return newest === 0 ? null : newest;
}

/** How much could be judged. What cannot be read is never taken for what is not there. */
function coverageOf(
  { inventory: { unread }, asset, events, isRefused }: Viewed,
  monitoring: number,
  counts: Omit<Coverage, "state" | "reason">,
): Coverage {
  const { more, configured, unmonitored } = counts;
  const as = (state: Coverage["state"], reason: string | null): Coverage => ({ state, reason, ...counts });
  if (unread.length > 0)
    return as("unknown", `This cannot be read: ${unread.map((part) => PART_WORDS[part]).join(", ")}.`);
  if (more.operations > 0) {
    const operations = countWords(more.operations, "operation");
    return as("unknown", `There is more than one read takes: ${operations} left out.`);
  }
  if (configured === 0)
    return as("empty", asset === undefined ? "Nothing is set up yet." : "Nothing of this site is watched.");
  const reasons = [
    ...(unmonitored > 0 ? [`nothing observes ${countWords(unmonitored, "target")}`] : []),
    ...(monitoring > 0
      ? [`${countWords(monitoring, "thing")} that should be watched ${monitoring === 1 ? "is" : "are"} not`]
      : []),
    ...(events === undefined ? ["the history of events cannot be read"] : []),
    ...(isRefused ? ["storage refuses writes, so that what happens now leaves no evidence"] : []),
  ];
  return reasons.length === 0 ? as("complete", null) : as("partial", `${capital(reasons.join("; "))}.`);
}

const QUIET: ReadonlySet<HealthState> = new Set(["working", "idle"]);

function capabilityView(
  { id, label, provider, kind }: Capability,
  targets: readonly TargetView[],
): CapabilityView {
  const affected = targets.filter(({ asset, state }) => asset !== "" && !QUIET.has(state));
  const affectedAssets = [...new Set(affected.map(({ asset }) => asset))].sort();
  const state = worstState(targets.map((target) => target.state)) ?? "unknown";
  return { capability: id, label, provider, kind, state, affectedAssets, targets };
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

/** The events of which scopes are shown: those of the targets, of the reports of theirs, and of the connections that sites are asked over. */
export function shownScopes(
  { targets, sites, others }: Projection,
  { workspace, asset: wanted }: { readonly workspace: string; readonly asset: string | undefined },
) {
  const shown = () =>
    wanted === undefined ? targets : targets.filter(({ monitored }) => monitored.asset === wanted);
  let connections: ReadonlySet<string> | undefined;
  const isConnection = ({ capability, connectionRevision }: Scope): boolean => {
    connections ??= new Set(
      shown().map(({ monitored: one }) => `${one.capability.id} ${one.connectionRevision}`),
    );
    return connectionRevision !== "" && connections.has(`${capability} ${connectionRevision}`);
  };
  const isTarget = ({ asset, capability, connectionRevision, target, family }: Scope): boolean =>
    (wanted === undefined || asset === wanted) &&
    [...(sites.get(asset)?.targets ?? []), ...others].some(
      ({ monitored: one }) =>
        one.asset === asset &&
        one.capability.id === capability &&
        one.target === target &&
        one.connectionRevision === connectionRevision &&
        (family === "" || one.capability.ofReports),
    );
  return {
    isShown: (scope: Scope): boolean =>
      scope.workspace === workspace && (isTarget(scope) || (scope.asset === "" && isConnection(scope))),
    /** Those of properties whose reports are archived, without the report. */
    ofReports: (): Scope[] =>
      shown().flatMap(({ monitored: { capability, asset, connectionRevision, target } }) => {
        const { id, provider, ofReports } = capability;
        return ofReports
          ? { workspace, provider, connectionRevision, capability: id, asset, target, family: "" }
          : [];
      }),
  };
}
