/**
 * From what is stored to how each target stands, kept current site by site. Pure: the same inventory at the same moment always gives the same,
 * whatever was projected before.
 */

import { isSameProperty, type PlacedOutcome, type PropertyArchive } from "../archive/report_facts.ts";
import { tallied } from "../base/statistics.ts";
import type { Capability } from "../health/catalogue.ts";
import { HEALTH_STATES, type HealthState } from "../health/health.ts";
import { isProvider } from "../providers/adapter.ts";
import type { PlacedSite } from "../sites/sites.ts";
import { evidenceIn } from "./evidence.ts";
import type { SiteHealth, StateCounts, TargetView } from "./integrations.ts";
import { type Inventory, Moments, type SiteRows, siteRows } from "./inventory.ts";
import {
  type MonitoredTarget,
  matchedOf,
  otherTargets,
  siteTargets,
  type TargetContext,
} from "./monitored_targets.ts";
import {
  type At,
  countOutcomes,
  MOST_OUTCOMES,
  outcomeStates,
  pausesAt,
  type ReportsOf,
  siteHealth,
  summed,
  type TargetState,
  targetState,
} from "./target_state.ts";

/** What is projected, and when. */
interface Projected extends Omit<TargetContext, "parts"> {
  readonly inventory: Inventory;
  /** Milliseconds since the epoch, like every moment. */
  readonly now: number;
  /** Sites of which rows are not read yet: one that was never judged waits for them. */
  readonly isLeft?: (site: string) => boolean;
  /** The projection of the inventory before, which is used up: sites that did not change since stand as they stood. */
  readonly before?: Projection | undefined;
}

/** Some targets of a site, and from when until when they stand so if none of its rows is written. */
interface Part {
  readonly targets: readonly TargetState[];
  readonly from: number;
  readonly until: number;
}

/** How one site stands. A night of reports has only those judged again; all else is in `reads`, which come after them in the catalogue. */
type SiteStates = ReturnType<typeof statesOf>;

/** The targets of one capability, with what is told of all of them together. */
export interface Group {
  readonly targets: readonly TargetState[];
  readonly views: readonly TargetView[];
  readonly counts: StateCounts;
  /** Sites with a target that is neither working nor idle, by name. */
  readonly affected: readonly string[];
  /** When the newest was written down; 0 where nothing was. */
  readonly newest: number;
  /** How many archived reports they stand for beside their first ones. */
  readonly more: number;
}

type Groups = ReadonlyMap<Capability, Group>;

/** The targets of single sites. A group in which nothing changed is the very one of the projection before. */
interface OfSites {
  readonly groups: Groups;
  /** By site the place of each of its targets in its group. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** How everything stands, from when, and until when that holds if nothing is written meanwhile. */
export interface Projection {
  /** In the order of the catalogue, and then by site; the reports of a property are one. */
  readonly groups: Groups;
  /** These two go on in the next projection, which puts into them what it judges: ten thousand sites are not copied for one. */
  readonly sites: Map<string, SiteStates>;
  /** Of the sites that have a target that counts. */
  readonly healths: Map<string, SiteHealth>;
  readonly ofSites: OfSites;
  /** Those of no single site: accounts, senders, channels, calendars. */
  readonly others: readonly TargetState[];
  readonly from: number;
  /** Infinity where nothing changes by itself; not after `from` where some sites still stand as they stood before, or wait to be read. */
  readonly until: number;
  /** What the reports of a target are judged by. */
  readonly reportsOf: (monitored: MonitoredTarget) => ReportsOf;
  readonly inventory: Inventory;
}

/**
 * Sites that are judged again at once for the time that has passed alone: where a tick passes over ten thousand of them, the others follow
 * with the next projections. What was written is always followed.
 */
const MOST_OVERDUE = 50;

export function project({ inventory, now, isLeft, before, ...context }: Projected): Projection {
  const { parts, changed } = inventory;
  const by = { ...context, parts };
  const moments = new Moments(now);
  const pauseOf = pausesAt(parts.pauses, now, moments);
  const matched = matchedOf(parts);
  const evidenceOf = evidenceIn(parts, siteRows(parts, ""), by.workspace);
  const reportsOf = (monitored: MonitoredTarget, rows = siteRows(parts, monitored.asset)): ReportsOf => ({
    monitored,
    known: evidenceOf(monitored, rows),
    archive: archiveOf(monitored, rows),
    pause: pauseOf(monitored),
  });
  const stateOf = (monitored: MonitoredTarget, rows: SiteRows, at: At): TargetState =>
    monitored.capability.ofReports
      ? summed(reportsOf(monitored, rows), at)
      : targetState(monitored, evidenceOf(monitored, rows), pauseOf(monitored), at);
  const isReport = ({ kind }: Capability) => kind === "ingest";
  const reports = { ...by, catalogue: by.catalogue.filter(isReport) };
  const reads = { ...by, catalogue: by.catalogue.filter((one) => !isReport(one)) };
  const judge = (site: PlacedSite, of: TargetContext, known: Part | undefined): Part => {
    const at = { now, moments: new Moments(now) };
    const rows = siteRows(parts, site.id);
    const targets = siteTargets({ site, rows, matched, ...at }, of).map((one, place) => {
      const state = stateOf(one, rows, at);
      const old = known?.targets[place];
      return old !== undefined && Bun.deepEquals(state, old) ? old : state;
    });
    return { targets, from: now, until: at.moments.next };
  };
  const holds = (part: Part | undefined): part is Part =>
    part !== undefined && part.from <= now && now < part.until;
  const resumed = before === undefined ? new Set<string>() : resumedSites(inventory, before.from, now);

  const isEverySite = changed === undefined || resumed.has("");
  const isPatch = before !== undefined && before.inventory.parts.sites === parts.sites && !isEverySite;
  const isInTime = before !== undefined && before.from <= now && now < before.until;
  const sites = isPatch ? before.sites : new Map<string, SiteStates>();
  const healths = isPatch ? before.healths : new Map<string, SiteHealth>();
  const judged: Judged[] = [];
  let overdue = 0;
  let isWhole = true;
  const looked: readonly PlacedSite[] =
    isPatch && isInTime
      ? [...changed.keys(), ...resumed].flatMap((id) => sites.get(id)?.site ?? [])
      : (parts.sites ?? NONE);
  if (isPatch && isInTime) moments.add(before.until);
  for (const site of looked) {
    if (site.lifecycle === "retired") continue;
    const known = before?.sites.get(site.id);
    if (known === undefined && isLeft?.(site.id) === true) {
      isWhole = false;
      continue;
    }
    const what = isEverySite || resumed.has(site.id) ? "all" : changed.get(site.id);
    const isKept =
      known !== undefined &&
      what === undefined &&
      ((holds(known.reports) && holds(known.reads)) || ++overdue > MOST_OVERDUE);
    const states = isKept
      ? known
      : statesOf(
          site,
          what === undefined && holds(known?.reports) ? known.reports : judge(site, reports, known?.reports),
          what !== "all" && holds(known?.reads) ? known.reads : judge(site, reads, known?.reads),
        );
    moments.add(states.reports.until);
    moments.add(states.reads.until);
    if (isKept && isPatch) continue;
    sites.set(site.id, states);
    if (states.health === undefined) healths.delete(site.id);
    else healths.set(site.id, states.health);
    if (known !== undefined) judged.push({ asset: site.id, known: known.targets, targets: states.targets });
  }
  const ofSites = isWhole
    ? (isPatch && patched(before.ofSites, sites.size, judged)) || grouped(by.catalogue, sites)
    : NOT_GROUPED;
  const { groups } = ofSites;
  const isAsked = (of: Capability, connectionRevision: string) =>
    groups.get(of)?.targets.some(({ monitored: one }) => one.connectionRevision === connectionRevision) ===
    true;
  const others = otherTargets(by, isAsked).map((one) =>
    stateOf(one, siteRows(parts, one.asset), { now, moments }),
  );
  const beside = Map.groupBy(others, ({ monitored }) => monitored.capability);
  const withBeside = (of: Capability, group: Group) => {
    const own = beside.get(of);
    return own === undefined ? group : groupOf([...own, ...group.targets]);
  };
  return {
    groups: new Map([...groups].map(([of, group]) => [of, withBeside(of, group)])),
    sites,
    healths,
    ofSites,
    others,
    from: now,
    until: overdue > MOST_OVERDUE || !isWhole ? now : moments.next,
    reportsOf: (monitored) => reportsOf(monitored),
    inventory,
  };
}

function statesOf(site: PlacedSite, reports: Part, reads: Part) {
  const targets: readonly TargetState[] = [...reports.targets, ...reads.targets];
  return { site, reports, reads, targets, health: siteHealth(targets) };
}

/** The sites of which a pause ended, or began again with a clock that was set back; '' where it is of every site. */
const resumedSites = (
  { parts: { pauses = NONE } }: Inventory,
  from: number,
  now: number,
): ReadonlySet<string> =>
  new Set(
    pauses.flatMap(({ asset, until }) =>
      until !== null && Math.min(from, now) < until && until <= Math.max(from, now) ? [asset] : [],
    ),
  );

const NONE: readonly never[] = [];

const QUIET: ReadonlySet<HealthState> = new Set(["working", "idle"]);

const affectedIn = (views: readonly TargetView[]): string[] => {
  const affected = views.filter(({ asset, state }) => asset !== "" && !QUIET.has(state));
  return [...new Set(affected.map(({ asset }) => asset))].sort();
};

/** Targets of one capability, in their order. */
export function groupOf(targets: readonly TargetState[]): Group {
  const views = targets.map(({ view }) => view);
  return {
    targets,
    views,
    counts: tallied(
      HEALTH_STATES,
      views.map(({ state }) => state),
    ),
    affected: affectedIn(views),
    newest: targets.reduce((newest, { observedAt }) => Math.max(newest, observedAt), 0),
    more: targets.reduce((sum, { more }) => sum + more, 0),
  };
}

/** The group with others in some places: as `groupOf` makes it, without a look at the rest. */
function replaced(group: Group, others: readonly (readonly [place: number, TargetState])[]): Group {
  if (others.length === 0) return group;
  const [targets, views, counts] = [[...group.targets], [...group.views], { ...group.counts }];
  let { newest, more, affected } = group;
  let [isOlder, isOther] = [false, false];
  for (const [place, one] of others) {
    const old = targets[place];
    if (old === undefined) continue;
    targets[place] = one;
    views[place] = one.view;
    counts[old.view.state] -= 1;
    counts[one.view.state] += 1;
    more += one.more - old.more;
    newest = Math.max(newest, one.observedAt);
    isOlder ||= old.observedAt === group.newest && one.observedAt < old.observedAt;
    isOther ||= QUIET.has(old.view.state) !== QUIET.has(one.view.state);
  }
  if (isOlder) return groupOf(targets);
  if (isOther) affected = affectedIn(views);
  return { targets, views, counts, affected, newest, more };
}

function grouped(catalogue: readonly Capability[], sites: Projection["sites"]): OfSites {
  const groups = new Map<Capability, TargetState[]>(catalogue.map((of) => [of, []]));
  const places = new Map<string, readonly number[]>();
  for (const [asset, { targets }] of sites) {
    const own = targets.map((one) => (groups.get(one.monitored.capability)?.push(one) ?? 0) - 1);
    places.set(asset, own);
  }
  return { groups: new Map([...groups].map(([of, targets]) => [of, groupOf(targets)])), places };
}

/** While sites wait to be read. */
const NOT_GROUPED: OfSites = { groups: new Map(), places: new Map() };

/** The targets of a site that was judged again, with those of before. */
interface Judged {
  readonly asset: string;
  readonly known: readonly TargetState[];
  readonly targets: readonly TargetState[];
}

/**
 * What was judged again in its place among what was known, so that a thousand reports of ten thousand sites cost no look at the others;
 * undefined where another thing is watched of a site, or of other sites.
 */
function patched({ groups, places }: OfSites, sites: number, judged: readonly Judged[]): OfSites | undefined {
  if (places.size !== sites) return undefined;
  const others = new Map<Capability, [number, TargetState][]>();
  for (const { asset, known, targets } of judged) {
    if (known.length !== targets.length) return undefined;
    for (const [at, one] of targets.entries()) {
      const { capability } = one.monitored;
      const old = known[at];
      if (old === one) continue;
      if (old?.monitored.capability !== capability) return undefined;
      const own = others.get(capability) ?? [];
      own.push([places.get(asset)?.[at] ?? -1, one]);
      others.set(capability, own);
    }
  }
  const anew = [...groups].map(([of, group]) => [of, replaced(group, others.get(of) ?? NONE)] as const);
  return { groups: new Map(anew), places };
}

const archiveOf = (
  { capability: { provider }, connectionRevision, property }: MonitoredTarget,
  { archive }: SiteRows,
): PropertyArchive | undefined =>
  isProvider(provider)
    ? archive?.find((one) => isSameProperty(one, { provider, connectionRevision, property }))
    : undefined;

/** The reports of one site, each outcome for itself. */
export interface ReportStates {
  readonly targets: readonly TargetState[];
  /** How many more there are. */
  readonly more: number;
}

/** How the reports of a site stand, at most `MOST_OUTCOMES` of a property: failures that last, then the latest. */
export function projectReports(
  { sites, reportsOf }: Projection,
  outcomesOf: (archive: PropertyArchive, limit: number) => readonly PlacedOutcome[],
  { asset, now }: { readonly asset: string; readonly now: number },
): ReportStates {
  let more = 0;
  const targets = (sites.get(asset)?.targets ?? []).flatMap(({ monitored }) => {
    if (!monitored.capability.ofReports) return [];
    const of = reportsOf(monitored);
    const outcomes = of.archive === undefined ? [] : outcomesOf(of.archive, MOST_OUTCOMES);
    const told = outcomeStates(of, outcomes, { now, moments: new Moments(now) }).slice(0, MOST_OUTCOMES);
    more += countOutcomes(of.archive) - told.length;
    return told;
  });
  return { targets, more };
}
