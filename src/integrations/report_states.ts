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
  type PlacedOutcome,
  type PropertyArchive,
  type ReportFacts,
} from "../archive/report_facts.ts";
import { reportKey } from "../archive/report_health.ts";
import { tallied } from "../base/statistics.ts";
import { dayOfNumber } from "../base/time.ts";
import { ARCHIVED } from "../health/catalogue.ts";
import { type Evidence, HEALTH_STATES, type HealthState } from "../health/health.ts";
import type { Obligation } from "../health/state.ts";
import { familiesOf, type ReportFamily } from "../providers/report_families.ts";
import { type Known, underAccount } from "./evidence.ts";
import type { StateCounts } from "./integrations.ts";
import type { MonitoredTarget } from "./monitored_targets.ts";
import {
  type At,
  byUrgency,
  type PauseOf,
  standingAt,
  type TargetState,
  targetState,
} from "./target_state.ts";

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

const NO_COUNTS: StateCounts = tallied(HEALTH_STATES, []);

function countsOf(classes: readonly Pick<Alike, "state" | "count">[]): StateCounts {
  const counts = { ...NO_COUNTS };
  for (const { state, count } of classes) counts[state] += count;
  return counts;
}

/** Of one outcome alone: the same for every target that is so. */
const ALONE = Object.fromEntries(
  HEALTH_STATES.map((state) => [state, countsOf([{ state, count: 1 }])]),
) as Readonly<Record<HealthState, StateCounts>>;
