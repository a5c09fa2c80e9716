/** The one view of a projection: what is told, how much is not, and how much of it all could be judged. Pure. */

import { onceOf } from "../base/base.ts";
import { tallied } from "../base/statistics.ts";
import { capital, countWords } from "../base/text.ts";
import { type Capability, capabilityOf } from "../health/catalogue.ts";
import { HEALTH_STATES, type Scope } from "../health/health.ts";
import type { MonitoringFailure } from "../health/monitoring.ts";
import type { KnownEvent } from "../health/state_store.ts";
import type {
  CapabilityView,
  Coverage,
  HealthEventView,
  HealthView,
  SiteHealth,
  StateCounts,
} from "./integrations.ts";
import { type Inventory, PART_WORDS } from "./inventory.ts";
import { type Group, groupOf, type Projection, type ReportStates } from "./projection.ts";
import { BY_URGENCY, inDoubt, isCounted, siteHealth, type TargetState } from "./target_state.ts";

/** What a view is made of. */
export interface Viewed {
  readonly workspace: string;
  readonly catalogue: readonly Capability[];
  readonly inventory: Inventory;
  readonly projection: Pick<Projection, "groups" | "healths" | "others"> & {
    readonly sites: ReadonlyMap<string, { readonly targets: readonly TargetState[] }>;
  };
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
  const groups = asset === undefined ? projection.groups : groupsOf(projection, asset);
  const told = catalogue.flatMap((of) => {
    const own = of.ofReports
      ? reports?.targets.filter(({ monitored }) => monitored.capability === of)
      : undefined;
    const group = own === undefined ? groups.get(of) : groupOf(own);
    return group === undefined || group.targets.length === 0 ? [] : [{ of, group }];
  });
  const monitoring = (inventory.parts.monitoring ?? []).filter(
    (one) => asset === undefined || one.asset === "" || one.asset === asset,
  );
  const summary = summed(told.filter(({ of }) => isCounted(of)).map(({ group }) => group.counts));
  const configured = HEALTH_STATES.reduce((sum, state) => sum + summary[state], 0);
  const { unmonitored } = summary;
  return {
    observedAt: newestOf(groups.values(), monitoring),
    workspace,
    coverage: coverageOf(viewed, monitoring.length, {
      ...{ configured, monitored: configured - unmonitored, unmonitored },
      more: {
        archive: reports?.more ?? groups.values().reduce((sum, { more }) => sum + more, 0),
        operations: 0,
      },
    }),
    summary,
    capabilities: told.map(({ group }) => capabilityView(group)),
    events: (events ?? []).map(eventIn(catalogue)),
    monitoring: monitoring.toSorted(bySince),
    sites: sitesOf(viewed),
    portfolio:
      asset === undefined ? inventory.parts.sites : inventory.parts.sites?.filter(({ id }) => id === asset),
    nights: inventory.parts.nights,
  };
}

/** What is watched of one site. */
function groupsOf(projection: Viewed["projection"], asset: string): ReadonlyMap<Capability, Group> {
  const groups = Map.groupBy(targetsOf(projection, asset), ({ monitored }) => monitored.capability);
  return new Map([...groups].map(([of, targets]) => [of, groupOf(targets)]));
}

const targetsOf = ({ others, sites }: Viewed["projection"], asset: string): TargetState[] => [
  ...others.filter(({ monitored }) => monitored.asset === asset),
  ...(sites.get(asset)?.targets ?? []),
];

/** The sites of calendars of their own stand as these do, too; where something could not be read, none is well. */
function sitesOf({ projection, inventory, asset }: Viewed): ReadonlyMap<string, SiteHealth> {
  const isWhole = inventory.unread.length === 0;
  const beside = projection.others.map(({ monitored }) => monitored.asset);
  const own = new Set(beside.filter((one) => projection.sites.has(one)));
  if (isWhole && own.size === 0 && asset === undefined) return projection.healths;
  const found = new Map<string, SiteHealth>();
  for (const one of asset === undefined ? projection.sites.keys() : [asset]) {
    const health = own.has(one) ? siteHealth(targetsOf(projection, one)) : projection.healths.get(one);
    if (health !== undefined) found.set(one, isWhole ? health : inDoubt(health));
  }
  return found;
}

const summed = (all: readonly StateCounts[]): StateCounts => {
  const counts = tallied(HEALTH_STATES, []);
  for (const one of all) for (const state of HEALTH_STATES) counts[state] += one[state];
  return counts;
};

const summaryOf = (capabilities: readonly CapabilityView[]): StateCounts =>
  summed(
    capabilities.filter(isCounted).map(({ targets }) =>
      tallied(
        HEALTH_STATES,
        targets.map(({ state }) => state),
      ),
    ),
  );

/** How much one read of a program tells (spec, Limits): operations of a provider that are no archive reports. */
export const MOST_OPERATIONS = 2_048;

/**
 * What a program is told. Of a provider with more operations the least urgent are left out and counted, and the coverage is unknown: the
 * answer is not whole, while what a page says of a site rests on all that is known of it.
 */
export function withinBounds(view: HealthView): HealthView {
  const operations = view.capabilities.filter(
    ({ capability }) => capabilityOf(capability)?.ofReports !== true,
  );
  const leftOut = new Set(
    [...Map.groupBy(operations, ({ provider }) => provider).values()].flatMap((own) => {
      const targets = own.flatMap((of) => of.targets);
      if (targets.length <= MOST_OPERATIONS) return [];
      return BY_URGENCY.flatMap((state) => targets.filter((one) => one.state === state)).slice(
        MOST_OPERATIONS,
      );
    }),
  );
  if (leftOut.size === 0) return view;
  const capabilities = view.capabilities.flatMap((of) => {
    const targets = of.targets.filter((one) => !leftOut.has(one));
    return targets.length === 0 ? [] : [{ ...of, targets }];
  });
  const { coverage } = view;
  const reason = `There is more than one read takes: ${countWords(leftOut.size, "operation")} left out.`;
  return {
    ...view,
    capabilities,
    summary: summaryOf(capabilities),
    coverage: {
      ...coverage,
      ...(coverage.state !== "unknown" && { state: "unknown", reason }),
      more: { ...coverage.more, operations: leftOut.size },
    },
  };
}

function newestOf(groups: Iterable<Group>, monitoring: readonly MonitoringFailure[]): number | null {
  const moments = [...[...groups].map(({ newest }) => newest), ...monitoring.map(({ since }) => since)];
  return moments.reduce((a, b) => Math.max(a, b), 0) || null;
}

/** How much could be judged. What cannot be read is never taken for what is not there. */
function coverageOf(
  { inventory: { unread }, asset, events, isRefused }: Viewed,
  monitoring: number,
  counts: Omit<Coverage, "state" | "reason">,
): Coverage {
  const { configured, unmonitored } = counts;
  const as = (state: Coverage["state"], reason: string | null): Coverage => ({ state, reason, ...counts });
  if (unread.length > 0)
    return as("unknown", `This cannot be read: ${unread.map((part) => PART_WORDS[part]).join(", ")}.`);
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

/** What is told of targets of one capability, of which there is one. */
const capabilityView = onceOf(({ targets, views, counts, affected }: Group): CapabilityView => {
  const { id, label, provider, kind } = (targets[0] as TargetState).monitored.capability;
  const state = BY_URGENCY.find((one) => counts[one] > 0) ?? "unknown";
  return { capability: id, label, provider, kind, state, affectedAssets: affected, targets: views };
});

/** An event as it is told. */
function eventIn(catalogue: readonly Capability[]): (event: KnownEvent) => HealthEventView {
  const labels = new Map(catalogue.map(({ id, label }) => [id, label]));
  return ({ scope: { capability, asset, target, family }, attempt: _, ...event }) => ({
    ...event,
    capability,
    label: labels.get(capability) ?? capability,
    asset,
    target,
    family,
  });
}

const bySince = (a: MonitoringFailure, b: MonitoringFailure): number =>
  a.since - b.since || keyOf(a).localeCompare(keyOf(b));

const keyOf = ({ kind, asset, source, subject }: MonitoringFailure): string =>
  [kind, asset, source, subject].join("\n");

/** The events of which scopes are shown: those of the targets, of the reports of theirs, and of the connections that sites are asked over. */
export function shownScopes(
  { groups, sites, others }: Projection,
  { workspace, asset: wanted }: { readonly workspace: string; readonly asset: string | undefined },
) {
  const isWanted = ({ monitored }: TargetState) => wanted === undefined || monitored.asset === wanted;
  const isConnection = ({ capability, connectionRevision }: Scope): boolean =>
    connectionRevision !== "" &&
    [...groups].some(
      ([{ id }, { targets }]) =>
        id === capability &&
        targets.some((one) => one.monitored.connectionRevision === connectionRevision && isWanted(one)),
    );
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
      [...groups].flatMap(([{ id, provider, ofReports }, { targets }]) =>
        ofReports
          ? targets.filter(isWanted).map(({ monitored: { asset, connectionRevision, target } }) => ({
              workspace,
              provider,
              connectionRevision,
              capability: id,
              asset,
              target,
              family: "",
            }))
          : [],
      ),
  };
}
