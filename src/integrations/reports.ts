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
  reportKey,
} from "../archive/mod.ts";
import { HEALTH_STATES, type HealthState } from "../health/contract.ts";
import { ARCHIVED, type Evidence, type Obligation } from "../health/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { tallied } from "../lib/tally.ts";
import type { ReportFamily } from "../provider/report/contract.ts";
import { familiesOf } from "../provider/report/families.ts";
import { type Known, underAccount } from "./evidence.ts";
import { Moments } from "./moments.ts";
import type { SetUp } from "./set_up.ts";
import { byUrgency, type StateCounts } from "./site_health.ts";
import { type At, type PauseOf, type Stood, standingAt, stood } from "./stood.ts";

/** What the reports of a property are judged by. */
export interface ReportsOf {
  readonly setUp: SetUp;
  readonly known: Known;
  /** Undefined where nothing of it was ever tried. */
  readonly archive: PropertyArchive | undefined;
  readonly pauseOf: PauseOf;
}

const NONE: Obligation = { kind: "none" };

const isDue = ({ family, lastDate }: ReportFacts, date: number): boolean =>
  date > lastDate - datesOfRun(family);

/** A report of a date as a target of its own. */
function targetOf(
  setUp: SetUp,
  family: ReportFamily,
  date: number,
  of: { since?: number } | undefined,
): SetUp {
  const obligation = of === undefined ? NONE : { ...ARCHIVED[family.everyDays], ...of };
  return { ...setUp, family: reportKey(family.name, date), obligation };
}

/** The same of a report that was tried. */
function triedTarget(setUp: SetUp, report: ReportFacts, date: number): SetUp {
  const since = report.usable === undefined ? {} : { since: report.usable.at };
  return targetOf(setUp, report.family, date, isDue(report, date) ? since : undefined);
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
export function outcomesStood(of: ReportsOf, outcomes: readonly PlacedOutcome[], at: At): Stood[] {
  const { setUp, known, archive, pauseOf } = of;
  if (archive === undefined || archive.reports.length === 0) return [summed(of, at)];
  const tried = outcomes.map(({ report, date, evidence }) =>
    stood(triedTarget(setUp, report, date), triedKnown(known, report, date, evidence), pauseOf, at),
  );
  const never = neverTried(archive).map((family) =>
    stood(
      targetOf(setUp, family, newestDate(archive), {}),
      knownOf(known, undefined, { latestAt: undefined, isDue: true }),
      pauseOf,
      at,
    ),
  );
  const isFirst = ({ view }: Stood) => view.state === "failing";
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
  /** Of more of them the first to be told of is the one with the least. */
  readonly rank: number;
  readonly target: SetUp;
  readonly known: Known;
  readonly dueAt: number | null;
}

const memos = new WeakMap<
  PropertyArchive,
  { readonly from: number; readonly until: number; readonly stood: Stood }
>();

/** All reports of a property as one target: as the worst of them stands, with how many stand how. */
export function summed(of: ReportsOf, at: At): Stood {
  const { setUp, known, archive, pauseOf } = of;
  const { account, evidence, sourceAttemptAt } = known;
  // Nothing but the archive has a say in most of them, and little of it changes between two reads.
  const isPlain =
    account === undefined &&
    evidence === undefined &&
    sourceAttemptAt === undefined &&
    setUp.detachedAt === null &&
    pauseOf(setUp) === undefined;
  const memo = archive !== undefined && isPlain ? memos.get(archive) : undefined;
  if (memo !== undefined && memo.from <= at.now && at.now < memo.until) {
    at.moments.add(memo.until);
    return { ...memo.stood, setUp, observedAt: Math.max(setUp.changedAt, memo.stood.observedAt) };
  }
  const moments = new Moments(at.now);
  const sum = sumOf(of, { now: at.now, moments });
  at.moments.add(moments.next);
  if (archive !== undefined && isPlain) memos.set(archive, { from: at.now, until: moments.next, stood: sum });
  return sum;
}

function sumOf(of: ReportsOf, at: At): Stood {
  const { setUp, known, archive, pauseOf } = of;
  const classes = archive === undefined || archive.reports.length === 0 ? [] : classesOf(of, archive, at);
  const [worst] = classes.toSorted((a, b) => byUrgency(a.state, b.state) || a.rank - b.rank);
  if (archive === undefined || worst === undefined) {
    const one = stood(setUp, knownOf(known, undefined, { latestAt: undefined, isDue: true }), pauseOf, at);
    return { ...one, view: { ...one.view, counts: countsOf([{ state: one.view.state, count: 1 }]) } };
  }
  const { observedAt, view } = stood(worst.target, worst.known, pauseOf, at);
  const { reports } = archive;
  const due = classes.flatMap(({ dueAt }) => dueAt ?? []);
  const covered = newest(reports.map(({ coveredDate }) => coveredDate));
  return {
    setUp,
    observedAt: Math.max(observedAt, ...reports.map((report) => report.observedAt)),
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
  const { setUp, known, pauseOf } = of;
  const alike = (count: number, target: SetUp, own: Known, rank: number): Alike => {
    const { state, due } = standingAt(target, own, pauseOf, at);
    return {
      count,
      state,
      rank: state === "stale" ? (due.staleAt ?? rank) : rank,
      target,
      known: own,
      dueAt: due.dueAt,
    };
  };
  const tried = archive.reports.flatMap((report) => {
    const { lastDate, dates, failing, failure, fine, usable } = report;
    const classes: Alike[] = [];
    const add = (count: number, date: number, own: Evidence | undefined) => {
      if (count === 0) return;
      classes.push(
        alike(count, triedTarget(setUp, report, date), triedKnown(known, report, date, own), -date),
      );
    };
    if (failure !== undefined) add(failing, failure.date, failure.evidence);
    const good = usable === undefined ? undefined : successAt(usable, report);
    add(fine, lastDate, good);
    add(dates - failing - fine, lastDate - datesOfRun(report.family), good);
    return classes;
  });
  const never = neverTried(archive).map((family) =>
    alike(
      1,
      targetOf(setUp, family, newestDate(archive), {}),
      knownOf(known, undefined, { latestAt: undefined, isDue: true }),
      0,
    ),
  );
  return [...tried, ...never];
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
  const counts = { ...tallied(HEALTH_STATES, []) };
  for (const { state, count } of classes) counts[state] += count;
  return counts;
}
