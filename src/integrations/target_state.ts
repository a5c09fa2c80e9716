/** The state of one target with everything that is shown of it, of the reports of an archive, and of a site as the sum of its targets. Pure. */

import {
  datesOfRun,
  type PlacedOutcome,
  type PropertyArchive,
  type ReportFacts,
} from "../archive/report_facts.ts";
import { reportKey } from "../archive/report_health.ts";
import { tallied } from "../base/statistics.ts";
import { DAY_MS, dayOfNumber } from "../base/time.ts";
import { wordsOf } from "../health/capability_words.ts";
import { ARCHIVED, type Capability } from "../health/catalogue.ts";
import { type CapabilityKind, type Evidence, HEALTH_STATES, type HealthState } from "../health/health.ts";
import { type Pause, pausesInForce } from "../health/pauses.ts";
import {
  AHEAD_MS,
  type Configuration,
  dueOf,
  type Obligation,
  type Standing,
  standingOf,
} from "../health/state.ts";
import { type FailureCategory, isLimit, needsPerson } from "../providers/faults.ts";
import { familiesOf, type ReportFamily } from "../providers/report_families.ts";
import { ANY_MOMENT, type Known, underAccount } from "./evidence.ts";
import type { RetryReason, SiteHealth, StateCounts, TargetView } from "./integrations.ts";
import type { Moments } from "./inventory.ts";
import type { MonitoredTarget } from "./monitored_targets.ts";

/** When a target is tried again, and why not before. Pure. */

interface Retry {
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly reason: RetryReason | null;
}

const NO_RETRY: Retry = { at: null, reason: null };

/** States that only another attempt ends, of what is asked for. */
const ENDED_BY_AN_ATTEMPT: ReadonlySet<HealthState> = new Set(["failing", "unknown", "stale", "never_run"]);

/**
 * The next permitted attempt: after a failure the moment that it named, while that lies ahead, else the next tick of what is asked by
 * schedule. What comes by itself, and what works, has none.
 */
function retryOf(
  capability: Capability,
  state: HealthState,
  evidence: Evidence | undefined,
  now: number,
): Retry {
  const { obligation } = capability;
  if (!ENDED_BY_AN_ATTEMPT.has(state)) return NO_RETRY;
  const latest = evidence?.latest;
  if (
    latest !== undefined &&
    latest.category !== null &&
    latest.nextRetryAt !== null &&
    latest.nextRetryAt > now
  ) {
    return { at: latest.nextRetryAt, reason: reasonOf(latest, capability) };
  }
  if (obligation === "silent_hours" || obligation.kind !== "ticks") return NO_RETRY;
  // A usable result that came now would be followed by the next tick.
  return { at: dueOf(obligation, now, now).dueAt, reason: "schedule" };
}

function reasonOf({ category, code }: Evidence["latest"], { kind, obligation }: Capability): RetryReason {
  if (isLimit(category)) return category;
  // A message goes out again at Tower's own pace, whatever its receiver said.
  if (kind === "real_send") return "back_off";
  if (needsPerson(category)) return "slow_probe";
  if (kind === "on_demand" || code === "too_many_failures") return "back_off";
  // What has days of its own is asked again after an hour, also where nobody asked for a pause.
  return obligation !== "silent_hours" && obligation.kind === "every" ? "schedule" : "provider_asked";
}

/** A target as it stands, with what it is a target of. */
export interface TargetState {
  readonly monitored: MonitoredTarget;
  readonly view: TargetView;
  /** When the newest of what it goes by was written down; 0 where nothing was. */
  readonly observedAt: number;
  /** How many archived reports it stands for beside the first. */
  readonly more: number;
}

/** What holds a target; `unreadable` where that cannot be read. */
type PauseOf = (monitored: MonitoredTarget) => Pause | "unreadable" | undefined;

/** The pauses in force. */
export function pausesAt(pauses: readonly Pause[] | undefined, now: number, moments: Moments): PauseOf {
  if (pauses === undefined) return () => "unreadable";
  for (const { until } of pauses) moments.add(until);
  const of = pausesInForce(pauses, now);
  return ({ capability: { id: capability }, asset, pausedAt }) =>
    typeof pausedAt === "number"
      ? { capability, asset, pausedAt, pausedBy: "", until: null }
      : of({ capability, asset });
}

/** When they are looked at, and what is heard of when they stand otherwise. */
export interface At {
  readonly now: number;
  readonly moments: Moments;
}

/** The state of a target alone. */
function standingAt(
  monitored: MonitoredTarget,
  { evidence, sourceAttemptAt }: Known,
  pause: ReturnType<PauseOf>,
  { now, moments }: At,
): Standing {
  const { obligation, detachedAt, capability } = monitored;
  const configuration: Configuration | "unreadable" =
    pause === "unreadable"
      ? "unreadable"
      : {
          isConnected: detachedAt === null,
          isPaused: pause !== undefined,
          isObserved: capability.observedBy !== null,
        };
  const standing = standingOf({ configuration, evidence, sourceAttemptAt, obligation, now });
  addMoments(moments, standing, evidence === "unreadable" ? undefined : evidence);
  return standing;
}

/** How a target stands, with everything that is told of it. */
export function targetState(
  monitored: MonitoredTarget,
  known: Known,
  pause: ReturnType<PauseOf>,
  at: At,
): TargetState {
  const { capability, detachedAt } = monitored;
  const { sourceAttemptAt } = known;
  const standing = standingAt(monitored, known, pause, at);
  const evidence = known.evidence === "unreadable" ? undefined : known.evidence;
  const { state, cause } = standing;
  const failure = state === "failing" ? evidence?.latest : undefined;
  const category = failure?.category ?? null;
  const retry = retryOf(capability, state, evidence, at.now);
  at.moments.add(retry.at);
  const { why, action } = wordsOf(capability.copy, { state, category, code: failure?.code ?? null, cause });
  const held = pause === "unreadable" ? undefined : pause;
  return {
    monitored,
    observedAt: Math.max(monitored.changedAt, evidence?.recordedAt ?? 0, held?.pausedAt ?? 0),
    more: 0,
    view: {
      asset: monitored.asset,
      target: monitored.target,
      family: monitored.family,
      connectionRevision: monitored.connectionRevision,
      state,
      category: state === "unknown" ? MONITORING : category,
      lastAttemptStartedAt: evidence?.latest.startedAt ?? null,
      lastSuccessStartedAt: evidence?.success?.startedAt ?? null,
      coveredDate: evidence?.success?.coveredDate ?? null,
      dueAt: state === "paused" || state === "disconnected" ? null : standing.due.dueAt,
      nextRetryAt: retry.at,
      nextRetryReason: retry.reason,
      action,
      why,
      since: sinceOf(standing, { evidence, detachedAt, held, sourceAttemptAt }),
      pausedUntil: state === "paused" ? (held?.until ?? null) : null,
      counts: null,
    },
  };
}

const MONITORING: FailureCategory = "monitoring_failure";

/** When time alone makes another state of it (`health/state.ts`). */
function addMoments(moments: Moments, { due }: Standing, evidence: Evidence | undefined): void {
  moments.add(due.staleAt);
  moments.add(due.idleAt);
  if (evidence === undefined) return;
  moments.add(evidence.latest.startedAt - AHEAD_MS);
  moments.add(evidence.latest.nextRetryAt);
  const covered = evidence.success?.coveredDate;
  // Of a day that has come nothing is to be waited for.
  if (covered !== null && covered !== undefined && covered > moments.today) {
    moments.add(Date.parse(covered) - DAY_MS);
  }
}

interface Facts {
  readonly evidence: Evidence | undefined;
  readonly detachedAt: number | null;
  readonly held: Pause | undefined;
  readonly sourceAttemptAt: number | undefined;
}

/** Since when it stands so, as far as that is known. */
function sinceOf({ state, cause, due }: Standing, of: Facts): number | null {
  switch (state) {
    case "failing":
      return of.evidence?.failingSince ?? null;
    case "paused":
      return of.held?.pausedAt ?? null;
    case "disconnected":
      return of.detachedAt;
    case "stale":
      return due.staleAt;
    case "unknown":
      return cause === "unmatched" && of.sourceAttemptAt !== ANY_MOMENT ? (of.sourceAttemptAt ?? null) : null;
    default:
      return null;
  }
}

/** How one site stands: the roll-up of its targets. Pure. */

const ASKED: ReadonlySet<CapabilityKind> = new Set([
  "on_demand",
  "connection_test",
  "discovery",
  "test_send",
]);

/** Whether it counts: what is due does. What is asked only by hand, or while somebody looks, would let a look at a page change the counts. */
export const isCounted = ({ kind }: { readonly kind: CapabilityKind }): boolean => !ASKED.has(kind);

const NO_COUNTS = tallied(HEALTH_STATES, []);

/** The most urgent state first; idle comes after all others. */
export const BY_URGENCY: readonly HealthState[] = [
  ...HEALTH_STATES.filter((state) => state !== "idle"),
  "idle",
];

const isWorse = (one: HealthState, other: HealthState) => byUrgency(one, other) < 0;

/** Orders states by how urgent they are, the most urgent first. */
export function byUrgency(one: HealthState, other: HealthState): number {
  return BY_URGENCY.indexOf(one) - BY_URGENCY.indexOf(other);
}

/** How a site stands by its targets; undefined where it has none that counts. */
export function siteHealth(
  targets: readonly {
    readonly monitored: { readonly capability: Pick<Capability, "kind"> };
    readonly view: TargetView;
  }[],
): SiteHealth | undefined {
  const counts = { ...NO_COUNTS };
  let worst: TargetView | undefined;
  for (const { monitored, view } of targets) {
    if (!isCounted(monitored.capability)) continue;
    counts[view.state] += 1;
    if (worst === undefined || isWorse(view.state, worst.state)) worst = view;
  }
  if (worst === undefined) return undefined;
  const all = HEALTH_STATES.reduce((sum, state) => sum + counts[state], 0);
  return { state: worst.state, counts, working: counts.working, monitored: all - counts.idle, worst };
}

/** The same where not everything that is set up could be read: a site of which the rest is well is Unknown. */
export const inDoubt = (health: SiteHealth): SiteHealth =>
  isWorse("unknown", health.worst.state) ? { ...health, state: "unknown" } : health;

// How the archived reports of a property stand: each of them, and all together. Pure.
//
// An outcome is of one report of one date. The newest dates, which a run asks for, owe something: they are Working until their report missed two
// of its runs, then Stale. The others are Idle: they stay visible, and nothing more is due. A failure lasts until a later success of the same
// outcome; what is kept of a moment cannot be asked for later, so that its next report makes it good. What stands for a whole account stands
// for what is due alone: what is archived stays so.

/** What the reports of a property are judged by. */
export interface ReportsOf {
  readonly monitored: MonitoredTarget;
  readonly known: Known;
  /** Undefined where nothing of it was ever tried. */
  readonly archive: PropertyArchive | undefined;
  readonly pause: ReturnType<PauseOf>;
}

/** Archive outcomes of a property that one read tells. */
export const MOST_OUTCOMES = 256;

const NOTHING_DUE: Obligation = { kind: "none" };

const isDue = ({ family, lastDate }: ReportFacts, date: number): boolean =>
  date > lastDate - datesOfRun(family);

/** What is due of a report: of a date that no run asks for any more nothing. */
function obligationOf(family: ReportFamily, of: { readonly since?: number } | undefined): Obligation {
  return of === undefined ? NOTHING_DUE : { ...ARCHIVED[family.everyDays], ...of };
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
export function outcomeStates(of: ReportsOf, outcomes: readonly PlacedOutcome[], at: At): TargetState[] {
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
export function countOutcomes(archive: PropertyArchive | undefined): number {
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
export function summed(of: ReportsOf, at: At): TargetState {
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
    return { ...one, view: { ...one.view, counts: ALONE[one.view.state] } };
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

function countsOf(classes: readonly Pick<Alike, "state" | "count">[]): StateCounts {
  const counts = { ...NO_COUNTS };
  for (const { state, count } of classes) counts[state] += count;
  return counts;
}

/** Of one outcome alone: the same for every target that is so. */
const ALONE = Object.fromEntries(
  HEALTH_STATES.map((state) => [state, countsOf([{ state, count: 1 }])]),
) as Readonly<Record<HealthState, StateCounts>>;
