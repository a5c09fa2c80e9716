/**
 * How the archived reports of a property stand: each of them, and all together. Pure.
 *
 * An outcome is of one report of one date. The newest dates, which a run asks for, owe something: they are Working until their report missed two
 * of its runs, then Stale. The others are Idle: they stay visible, and nothing more is due. A failure lasts until a later success of the same
 * outcome; what is kept of a moment cannot be asked for later, so that its next report makes it good. What stands for a whole account stands
 * for what is due alone: what is archived stays so.
 */

import {
  datesOfRun,
  isSameProperty,
  type PlacedOutcome,
  type PropertyArchive,
  type ReportFacts,
} from "../archive/report_facts.ts";
import { reportKey } from "../archive/report_health.ts";
import { tallied } from "../base/statistics.ts";
import { dayOfNumber } from "../base/time.ts";
import { ARCHIVED, type Capability } from "../health/catalogue.ts";
import { type Evidence, HEALTH_STATES, type HealthState } from "../health/health.ts";
import type { Obligation } from "../health/state.ts";
import { isProvider } from "../providers/adapter.ts";
import { familiesOf, type ReportFamily } from "../providers/report_families.ts";
import { evidenceIn, type Known, underAccount } from "./evidence.ts";
import type { SiteHealth, StateCounts } from "./integrations.ts";
import { type Inventory, Moments, type SiteRows, siteRows } from "./inventory.ts";
import {
  type MonitoredTarget,
  matchedOf,
  otherTargets,
  siteTargets,
  type TargetContext,
  watchedSites,
} from "./monitored_targets.ts";
import {
  type At,
  byUrgency,
  type PauseOf,
  pausesAt,
  siteHealth,
  standingAt,
  type TargetState,
  targetState,
} from "./target_state.ts";

/** What the reports of a property are judged by. */
interface ReportsOf {
  readonly monitored: MonitoredTarget;
  readonly known: Known;
  /** Undefined where nothing of it was ever tried. */
  readonly archive: PropertyArchive | undefined;
  readonly pause: ReturnType<PauseOf>;
}

/** Archive outcomes of a property that one read tells. */
export const MOST_OUTCOMES = 256;

const NONE: Obligation = { kind: "none" };

const isDue = ({ family, lastDate }: ReportFacts, date: number): boolean =>
  date > lastDate - datesOfRun(family);

/** What is due of a report: of a date that no run asks for any more nothing. */
function obligationOf(family: ReportFamily, of: { readonly since?: number } | undefined): Obligation {
  return of === undefined ? NONE : { ...ARCHIVED[family.everyDays], ...of };
}

/** A report of a date as a target of its own. */
const targetOf = (
  monitored: MonitoredTarget,
  family: ReportFamily,
  date: number,
  obligation: Obligation,
): MonitoredTarget => ({
  ...monitored,
  family: reportKey(family.name, date),
  obligation,
});

/** What is due of a report that was tried. */
function triedObligation(report: ReportFacts, date: number): Obligation {
  const since = report.usable === undefined ? {} : { since: report.usable.at };
  return obligationOf(report.family, isDue(report, date) ? since : undefined);
}

/** What is known of it: of what is due also what is known of the account, if that is later than all attempts of the report. */
function knownOf(
  { evidence, account, sourceAttemptAt }: Known,
  own: Evidence | undefined,
  { latestAt, isDue }: { readonly latestAt: number | undefined; readonly isDue: boolean },
): Known {
  if (evidence === "unreadable") return { evidence, sourceAttemptAt };
  if (!isDue) return { evidence: own, sourceAttemptAt: undefined };
  const isLater = (at: number | undefined) => at !== undefined && (latestAt === undefined || at >= latestAt);
  return {
    evidence: isLater(account?.latest.startedAt) ? underAccount(own, account) : own,
    sourceAttemptAt: isLater(sourceAttemptAt) ? sourceAttemptAt : undefined,
  };
}

const triedKnown = (known: Known, report: ReportFacts, date: number, own: Evidence | undefined): Known =>
  knownOf(known, own, { latestAt: report.latestAt, isDue: isDue(report, date) });

/** Families that were never tried, though others of the property were. */
function neverTried({ provider, reports, skipped }: PropertyArchive): ReportFamily[] {
  return familiesOf(provider).filter(
    (family) => !skipped.has(family.name) && reports.every((report) => report.family !== family),
  );
}

/** The date that a run asks for now, as far as that is known: the newest one that was tried. */
const newestDate = ({ reports }: PropertyArchive): number =>
  reports.reduce((newest, { lastDate }) => Math.max(newest, lastDate), 0);

/** Each outcome as a target, failures that last first, then the newest dates. */
function outcomeStates(of: ReportsOf, outcomes: readonly PlacedOutcome[], at: At): TargetState[] {
  const { monitored, known, archive, pause } = of;
  if (archive === undefined || archive.reports.length === 0) return [summed(of, at)];
  const tried = outcomes.map(({ report, date, evidence }) =>
    targetState(
      targetOf(monitored, report.family, date, triedObligation(report, date)),
      triedKnown(known, report, date, evidence),
      pause,
      at,
    ),
  );
  const never = neverTried(archive).map((family) =>
    targetState(
      targetOf(monitored, family, newestDate(archive), obligationOf(family, {})),
      knownOf(known, undefined, { latestAt: undefined, isDue: true }),
      pause,
      at,
    ),
  );
  const isFirst = ({ view }: TargetState) => view.state === "failing";
  return [...tried.filter(isFirst), ...never, ...tried.filter((one) => !isFirst(one))];
}

/** How many outcomes there are. */
function countOutcomes(archive: PropertyArchive | undefined): number {
  if (archive === undefined || archive.reports.length === 0) return 1;
  return archive.reports.reduce((sum, { dates }) => sum + dates, neverTried(archive).length);
}

/** Outcomes that stand alike. */
interface Alike {
  readonly count: number;
  readonly state: HealthState;
  /** Of several the first to be told of is the one with the least. */
  readonly rank: number;
  readonly family: ReportFamily;
  readonly date: number;
  readonly obligation: Obligation;
  readonly known: Known;
  readonly dueAt: number | null;
}

/** All reports of a property as one target: as the worst of them stands, with how many stand how. */
function summed(of: ReportsOf, at: At): TargetState {
  const { monitored, known, archive, pause } = of;
  const classes = archive === undefined || archive.reports.length === 0 ? [] : classesOf(of, archive, at);
  const [worst] = classes.toSorted((a, b) => byUrgency(a.state, b.state) || a.rank - b.rank);
  if (archive === undefined || worst === undefined) {
    const one = targetState(
      monitored,
      knownOf(known, undefined, { latestAt: undefined, isDue: true }),
      pause,
      at,
    );
    return { ...one, view: { ...one.view, counts: countsOf([{ state: one.view.state, count: 1 }]) } };
  }
  const target = targetOf(monitored, worst.family, worst.date, worst.obligation);
  const { observedAt, view } = targetState(target, worst.known, pause, at);
  const { reports } = archive;
  const due = classes.flatMap(({ dueAt }) => dueAt ?? []);
  const covered = newest(reports.map(({ coveredDate }) => coveredDate));
  return {
    monitored,
    observedAt: Math.max(observedAt, ...reports.map((report) => report.observedAt)),
    more: classes.reduce((sum, { count }) => sum + count, -1),
    view: {
      ...view,
      family: "",
      lastAttemptStartedAt: newest([view.lastAttemptStartedAt, ...reports.map(({ latestAt }) => latestAt)]),
      lastSuccessStartedAt: newest(reports.map(({ usable }) => usable?.at)),
      coveredDate: covered === null ? null : dayOfNumber(covered),
      dueAt:
        view.state === "paused" || view.state === "disconnected" || due.length === 0
          ? null
          : Math.min(...due),
      counts: countsOf(classes),
    },
  };
}

function classesOf(of: ReportsOf, archive: PropertyArchive, at: At): Alike[] {
  const { monitored, known, pause } = of;
  const classes: Alike[] = [];
  const add = (alike: Pick<Alike, "count" | "family" | "date" | "obligation" | "known">) => {
    const { obligation, date } = alike;
    const { state, due } = standingAt({ ...monitored, obligation }, alike.known, pause, at);
    const rank = state === "stale" ? (due.staleAt ?? 0) : -date;
    classes.push({ ...alike, state, rank, dueAt: due.dueAt });
  };
  const addTried = (report: ReportFacts, count: number, date: number, own: Evidence | undefined) => {
    if (count === 0) return;
    const obligation = triedObligation(report, date);
    add({ count, family: report.family, date, obligation, known: triedKnown(known, report, date, own) });
  };
  let [rest, last]: [number, ReportFacts | undefined] = [0, undefined];
  for (const report of archive.reports) {
    const { lastDate, dates, failing, failure, fine, usable } = report;
    if (failure !== undefined) addTried(report, failing, failure.date, failure.evidence);
    if (usable === undefined) continue;
    addTried(report, fine, lastDate, successAt(usable, report));
    rest += dates - failing - fine;
    last = report;
  }
  // What is well and owes nothing stands alike in all of them.
  if (last?.usable !== undefined) {
    addTried(last, rest, last.lastDate - datesOfRun(last.family), successAt(last.usable, last));
  }
  for (const family of neverTried(archive)) {
    const own = knownOf(known, undefined, { latestAt: undefined, isDue: true });
    add({ count: 1, family, date: newestDate(archive), obligation: obligationOf(family, {}), known: own });
  }
  return classes;
}

/** What is known of outcomes that are well, as far as their states go. */
function successAt({ id, at }: NonNullable<ReportFacts["usable"]>, { observedAt }: ReportFacts): Evidence {
  const attempt = `archive:${id}`;
  return {
    latest: { attempt, startedAt: at, category: null, code: null, nextRetryAt: null },
    success: { attempt, startedAt: at, coveredDate: null },
    failingSince: undefined,
    recordedAt: observedAt,
  };
}

const newest = (moments: readonly (number | null | undefined)[]): number | null =>
  moments.reduce<number | null>((a, b) => (b === null || b === undefined ? a : Math.max(a ?? b, b)), null);

const NO_COUNTS: StateCounts = tallied(HEALTH_STATES, []);

function countsOf(classes: readonly Pick<Alike, "state" | "count">[]): StateCounts {
  const counts = { ...NO_COUNTS };
  for (const { state, count } of classes) counts[state] += count;
  return counts;
}

/** From what is stored to how each target stands. Pure: the same inventory at the same moment always gives the same. */

/** What is projected, and when. */
interface Projected extends Omit<TargetContext, "parts"> {
  readonly inventory: Inventory;
  /** Milliseconds since the epoch, like every moment. */
  readonly now: number;
  /** The projection of the inventory before: sites that did not change since stand as they stood. */
  readonly before?: Projection | undefined;
}

/** How one site stands, and from when until when that holds if none of its rows is written. */
interface SiteStates {
  readonly targets: readonly TargetState[];
  readonly health: SiteHealth | undefined;
  readonly from: number;
  readonly until: number;
}

type TargetsOf = ReadonlyMap<Capability, readonly TargetState[]>;

/** The targets of single sites: a list in which nothing changed is the very one of the projection before. */
interface OfSites {
  readonly groups: TargetsOf;
  /** By site the place of each of its targets in its group. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The targets of a site that was judged again, with those of before. */
interface Judged {
  readonly asset: string;
  readonly known: readonly TargetState[];
  readonly targets: readonly TargetState[];
}

/** How everything stands, and until when that holds if nothing is written meanwhile. */
export interface Projection {
  /** In the order of the catalogue, and then by site; the reports of a property are one. */
  readonly groups: ReadonlyMap<Capability, readonly TargetState[]>;
  readonly sites: ReadonlyMap<string, SiteStates>;
  readonly ofSites: OfSites;
  /** Those of no single site: accounts, senders, channels, calendars. */
  readonly others: readonly TargetState[];
  /** Infinity where nothing changes by itself. */
  readonly until: number;
  /** What the reports of a target are judged by. */
  readonly reportsOf: (monitored: MonitoredTarget) => ReportsOf;
}

export function project({ inventory, now, before, ...context }: Projected): Projection {
  const { parts, changed } = inventory;
  const by = { ...context, parts };
  const moments = new Moments(now);
  const pauseOf = pausesAt(parts.pauses, now, moments);
  const pausesHold = moments.next;
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

  const sites = new Map<string, SiteStates>();
  const judged: Judged[] = [];
  for (const site of watchedSites(parts)) {
    const known = before?.sites.get(site.id);
    let states = changed?.has(site.id) === false ? known : undefined;
    if (states === undefined || now < states.from || now >= states.until) {
      const at = { now, moments: new Moments(now) };
      const rows = siteRows(parts, site.id);
      const targets = siteTargets({ site, rows, matched, ...at }, by).map((one, place) => {
        const [state, old] = [stateOf(one, rows, at), known?.targets[place]];
        return old !== undefined && Bun.deepEquals(state, old) ? old : state;
      });
      const until = Math.min(at.moments.next, pausesHold);
      states = { targets, health: siteHealth(targets), from: now, until };
      if (known !== undefined) judged.push({ asset: site.id, known: known.targets, targets });
    }
    moments.add(states.until);
    sites.set(site.id, states);
  }
  const isSameSites = before?.sites.size === sites.size && sites.keys().every((id) => before.sites.has(id));
  const ofSites = (isSameSites && patched(before.ofSites, judged)) || grouped(by.catalogue, sites);
  const { groups } = ofSites;
  const others = otherTargets(by, (of) => (groups.get(of) ?? []).map(({ monitored }) => monitored)).map(
    (one) => stateOf(one, siteRows(parts, one.asset), { now, moments }),
  );
  const beside = Map.groupBy(others, ({ monitored }) => monitored.capability);
  const withBeside = (of: Capability, targets: readonly TargetState[]) => {
    const own = beside.get(of);
    return own === undefined ? targets : [...own, ...targets];
  };
  return {
    groups: new Map([...groups].map(([of, targets]) => [of, withBeside(of, targets)])),
    sites,
    ofSites,
    others,
    until: moments.next,
    reportsOf: (monitored) => reportsOf(monitored),
  };
}

function grouped(catalogue: readonly Capability[], sites: Projection["sites"]): OfSites {
  const groups = new Map<Capability, TargetState[]>(catalogue.map((of) => [of, []]));
  const places = new Map<string, readonly number[]>();
  for (const [asset, { targets }] of sites) {
    const own = targets.map((one) => (groups.get(one.monitored.capability)?.push(one) ?? 0) - 1);
    places.set(asset, own);
  }
  return { groups, places };
}

/**
 * What was judged again in its place among what was known, so that a thousand reports of ten thousand sites cost no look at the others;
 * undefined where another thing is watched of a site.
 */
function patched({ groups, places }: OfSites, judged: readonly Judged[]): OfSites | undefined {
  const own = new Map<Capability, TargetState[]>();
  for (const { asset, known, targets } of judged) {
    if (known.length !== targets.length) return undefined;
    for (const [at, one] of targets.entries()) {
      const { capability } = one.monitored;
      const old = known[at];
      if (old === one) continue;
      if (old?.monitored.capability !== capability) return undefined;
      const group = own.get(capability) ?? [...(groups.get(capability) ?? [])];
      group[places.get(asset)?.[at] ?? -1] = one;
      own.set(capability, group);
    }
  }
  return { groups: new Map([...groups, ...own]), places };
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
