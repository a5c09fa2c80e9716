/** How each report of a property stands over all of its dates, as far as health asks: one read of a target, however long it is archived. */

import { DAY_MS } from "../base/time.ts";
import type { Evidence, Observation, ReadProperty } from "../health/health.ts";
import { after } from "../health/record.ts";
import type { Provider } from "../providers/adapter.ts";
import { findFamily, REPORT_FAMILIES, type ReportFamily } from "../providers/report_families.ts";
import { categoryAt } from "../signals/attempts.ts";
import { type Db, statement } from "../store/store.ts";
import { coveredBy, failingDates, isUsable, outcomeAt, type ReportRecord } from "./manifest_row.ts";
import { DATES, listTargets, type NumberedTarget, targetsById } from "./plan.ts";
import { attemptName } from "./report_health.ts";

// What the attempts of the manifest say of the health of a report of a date, as if each had been told to it.

/** A row of the manifest, as far as it says what came of an attempt. */
type AttemptRow = Pick<
  ReportRecord,
  "id" | "date" | "attempted_at" | "took_ms" | "outcome" | "category" | "failure_code" | "next_retry_at"
>;

/** What an attempt came to. */
function observationOf(row: AttemptRow): Observation {
  const outcome = outcomeAt(row.outcome);
  return {
    attempt: attemptName(row.id),
    startedAt: row.attempted_at,
    observedAt: row.attempted_at + row.took_ms,
    result: isUsable(outcome)
      ? { ok: true, coveredDate: coveredBy(outcome, row.date) }
      : {
          ok: false,
          category: categoryAt(row.category) ?? "monitoring_failure",
          code: row.failure_code,
          nextRetryAt: row.next_retry_at,
        },
  };
}

const COLUMNS = "id, date, attempted_at, took_ms, outcome, category, failure_code, next_retry_at";
const between = statement<AttemptRow, [number, number, number]>(
  `SELECT ${COLUMNS} FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? ORDER BY date, id`,
);
const byId = statement<AttemptRow, [number]>(`SELECT ${COLUMNS} FROM archive_report WHERE id = ?`);

/** What is known of each date of a target, from one to another, that was tried: without what a later attempt shows to be ahead of the clock. */
function evidenceBetween(db: Db, target: number, from: number, to: number): Map<number, Evidence> {
  const tried = new Map<number, AttemptRow[]>();
  for (const row of between(db).all(target, from, to)) {
    const before = tried.get(row.date) ?? [];
    const end = row.attempted_at + row.took_ms;
    tried.set(row.date, [...before.filter(({ attempted_at }) => attempted_at <= end), row]);
  }
  const known = new Map<number, Evidence>();
  for (const row of [...tried.values()].flat()) {
    known.set(row.date, after(known.get(row.date), observationOf(row)));
  }
  return known;
}

/** Of a report how many of its newest dates one run asks for: of what is kept of a moment only that one. */
export const datesOfRun = ({ of }: Pick<ReportFamily, "of">): number => (of === "day" ? DATES : 1);

/** What came of a report of one date, a day number. */
interface ReportOutcome {
  readonly date: number;
  readonly evidence: Evidence;
}

/** A report of a property. Moments are milliseconds since the epoch, dates are day numbers. */
export interface ReportFacts {
  /** The row of `archive_target`. */
  readonly target: number;
  readonly family: ReportFamily;
  /** Dates that were tried, and the newest of them. */
  readonly dates: number;
  readonly lastDate: number;
  /** Those of the newest ones, which the last run asked for, that do not fail. */
  readonly fine: number;
  /** Those of them that fail, and were not made good. */
  readonly failing: number;
  /** The newest of these. */
  readonly failure: ReportOutcome | undefined;
  /** When the latest attempt began, and when it was known what it came to. */
  readonly latestAt: number;
  readonly observedAt: number;
  /** The latest usable one. */
  readonly usable: { readonly id: number; readonly date: number; readonly at: number } | undefined;
  /** The newest date that there is a whole report of. */
  readonly coveredDate: number | undefined;
}

interface FactsRow extends Pick<ReportFacts, "target" | "dates" | "lastDate" | "failing" | "latestAt"> {
  readonly took: number;
  readonly usable: number | null;
  readonly usableDate: number | null;
  readonly usableAt: number | null;
  /** A bit for each of the newest dates that does not fail, the newest first. */
  readonly fine: number | null;
  readonly covered: number | null;
}

/** The newest date that had come when the report was last asked for: those after it are of a clock that ran ahead. */
const ASKED_ON = `(l.attempted_at + l.took_ms) / ${DAY_MS}`;
const LAST = `iif(s.last_date <= ${ASKED_ON}, s.last_date, coalesce(
    (SELECT max(d.date) FROM archive_day d WHERE d.target = s.target AND d.date <= ${ASKED_ON}), s.last_date))`;
const FACTS = `SELECT s.target, ${LAST} AS lastDate, s.failing, l.attempted_at AS latestAt, l.took_ms AS took,
    s.dates - (SELECT count(*) FROM archive_day d WHERE d.target = s.target AND d.date > ${LAST}) AS dates,
    s.usable, u.date AS usableDate, u.attempted_at AS usableAt,
    (SELECT sum((1 - d.failing) << (${LAST} - d.date)) FROM archive_day d
     WHERE d.target = s.target AND d.date BETWEEN ${LAST} - ${DATES - 1} AND ${LAST}) AS fine,
    (SELECT d.date FROM archive_day d
     WHERE d.target = s.target AND d.good IS NOT NULL AND d.date <= ${LAST} ORDER BY d.date DESC LIMIT 1) AS covered
  FROM archive_standing s JOIN archive_report l ON l.id = s.latest LEFT JOIN archive_report u ON u.id = s.usable`;
const every = statement<FactsRow, []>(FACTS);
const one = statement<FactsRow, [number]>(`${FACTS} WHERE s.target = ?`);

/** How reports stand: all of them, or those of some targets. One that no release since names is left out. */
function readFacts(db: Db, targets: ReadonlyMap<number, NumberedTarget>, wanted?: readonly number[]) {
  const rows = wanted === undefined ? every(db).all() : wanted.flatMap((target) => one(db).all(target));
  return rows.flatMap((row) => {
    const target = targets.get(row.target);
    const family = target && findFamily(target.provider, target.family);
    return family === undefined ? [] : [factsOf(db, family, row)];
  });
}

function factsOf(db: Db, family: ReportFamily, row: FactsRow): ReportFacts {
  const {
    target,
    dates,
    lastDate,
    latestAt,
    took,
    usable: id,
    usableDate: date,
    usableAt: at,
    covered,
  } = row;
  const usable = id === null || date === null || at === null ? undefined : { id, date, at };
  const facts = {
    target,
    family,
    dates,
    lastDate,
    fine: bitsIn((row.fine ?? 0) & ((1 << datesOfRun(family)) - 1)),
    latestAt,
    observedAt: latestAt + took,
    usable,
    coveredDate: covered ?? undefined,
  };
  if (row.failing === 0) return { ...facts, failing: 0, failure: undefined };
  const failing = failingOf(db, { target, family, lastDate, usable });
  return { ...facts, failing: failing.count, failure: failing.newest };
}

const bitsIn = (bits: number): number => bits.toString(2).replaceAll("0", "").length;

const countFailing = statement<{ count: number; newest: number | null }, [number, number]>(
  "SELECT count(*) AS count, max(date) AS newest FROM archive_day WHERE failing = 1 AND target = ? AND date <= ?",
);
/** What the next report stands in for is what began before it, of an earlier date. */
const NOT_MADE_GOOD = `FROM archive_day d JOIN archive_report l ON l.id = d.latest
  WHERE d.failing = 1 AND d.target = ? AND d.date <= ? AND (d.date >= ? OR l.attempted_at >= ?)`;
const countLasting = statement<{ count: number; newest: number | null }, [number, number, number, number]>(
  `SELECT count(*) AS count, max(d.date) AS newest ${NOT_MADE_GOOD}`,
);

type Made = Pick<ReportFacts, "target" | "family" | "lastDate" | "usable">;

function failingOf(db: Db, of: Made): { readonly count: number; readonly newest: ReportOutcome | undefined } {
  const { target, family, lastDate, usable } = of;
  const found =
    family.of === "day" || usable === undefined
      ? countFailing(db).first(target, lastDate)
      : countLasting(db).first(target, lastDate, usable.date, usable.at);
  const { count = 0, newest = null } = found ?? {};
  return { count, newest: newest === null ? undefined : listOutcomes(db, of, newest, newest)[0] };
}

const lastingDates = statement<{ date: number }, [number, number, number, number, number]>(
  `SELECT d.date ${NOT_MADE_GOOD} ORDER BY d.date DESC LIMIT ?`,
);

/** The newest dates of a report that fail and were not made good, newest first. */
function listFailing(db: Db, { target, family, lastDate, usable }: Made, limit: number): number[] {
  if (family.of === "day" || usable === undefined) return failingDates(db, target, lastDate + 1, limit);
  return lastingDates(db)
    .all(target, lastDate, usable.date, usable.at, limit)
    .map(({ date }) => date);
}

/**
 * What came of a report of each date that was tried, from one to another. What is kept of a moment cannot be asked for later: the latest usable
 * report of a later date stands in for those before it.
 */
function listOutcomes(db: Db, { target, family, usable }: Made, from: number, to: number): ReportOutcome[] {
  const known = evidenceBetween(db, target, from, to);
  const row = family.of === "day" || usable === undefined ? undefined : byId(db).first(usable.id);
  const next = row && observationOf(row);
  return [...known].map(([date, evidence]) => ({
    date,
    evidence: next !== undefined && row !== undefined && row.date > date ? after(evidence, next) : evidence,
  }));
}

// The outcomes of a property's reports, newest first, as many as are wanted and no more than that many are read.

/** What came of a report of a date. */
export interface PlacedOutcome extends ReportOutcome {
  readonly report: ReportFacts;
}

interface Place {
  readonly report: ReportFacts;
  readonly date: number;
}

const newestDates = statement<{ date: number }, [number, number, number]>(
  "SELECT date FROM archive_day WHERE target = ? AND date <= ? ORDER BY date DESC LIMIT ?",
);

/** So many outcomes: first those that fail and were not made good, then all others, the newest dates of either first. */
export function newestOutcomes(
  db: Db,
  { reports }: { readonly reports: readonly ReportFacts[] },
  limit: number,
): PlacedOutcome[] {
  const failing = newestFirst(
    reports
      .filter((report) => report.failing > 0)
      .flatMap((report) => listFailing(db, report, limit).map((date) => ({ report, date }))),
  ).slice(0, limit);
  const isTaken = (report: ReportFacts, date: number) =>
    failing.some((one) => one.report === report && one.date === date);
  const room = limit - failing.length;
  const others = newestFirst(
    reports.flatMap((report) =>
      newestDates(db)
        .all(report.target, report.lastDate, room + report.failing)
        .filter(({ date }) => report.failing === 0 || !isTaken(report, date))
        .map(({ date }) => ({ report, date })),
    ),
  ).slice(0, room);
  return [...outcomesAt(db, failing), ...outcomesAt(db, others)];
}

/** By date, then by name, so that the order is always the same. */
function newestFirst(places: readonly Place[]): Place[] {
  return places.toSorted((a, b) => b.date - a.date || (a.report.family.name < b.report.family.name ? -1 : 1));
}

/** In the order of the places. */
function outcomesAt(db: Db, places: readonly Place[]): PlacedOutcome[] {
  const known = new Map<ReportFacts, ReadonlyMap<number, ReportOutcome>>();
  for (const [report, own] of Map.groupBy(places, (place) => place.report)) {
    const outcomes = spansOf(own).flatMap(([from, to]) => listOutcomes(db, report, from, to));
    known.set(report, new Map(outcomes.map((outcome) => [outcome.date, outcome])));
  }
  return places.flatMap(({ report, date }) => {
    const outcome = known.get(report)?.get(date);
    return outcome === undefined ? [] : [{ ...outcome, report }];
  });
}

/** Dates that lie beside one another are read together; those between two that do not are not read. */
function spansOf(places: readonly Place[]): (readonly [from: number, to: number])[] {
  const spans: [from: number, to: number][] = [];
  for (const { date } of places) {
    const last = spans.at(-1);
    if (last !== undefined && last[0] - date <= 1) last[0] = date;
    else spans.push([date, date]);
  }
  return spans;
}

// What is archived of a property over a connection. The same object for as long as nothing of it is another.

export interface PropertyArchive extends ReadProperty {
  readonly provider: Provider;
  /** The reports that were ever tried, in the order of the families, without those that are left out. */
  readonly reports: readonly ReportFacts[];
  /** Names of families that are left out since the property is not set up for them. */
  readonly skipped: ReadonlySet<string>;
}

/** What is archived, by site. */
export type ArchiveBySite = ReadonlyMap<string, readonly PropertyArchive[]>;

/** With more new attempts than that, reading all of it is cheaper than asking for each. */
const MOST_CHANGED = 2_000;
/** Reports that are read in one turn: some milliseconds. */
const SLICE = 256;

const newest = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM archive_report");
const triedSince = statement<{ target: number }, [number]>("SELECT target FROM archive_report WHERE id > ?");
const leftOut = statement<{ target: number }, []>("SELECT target FROM archive_skip");

const PLACE = new Map(REPORT_FAMILIES.map((family, place) => [family, place]));

/** Reads what is archived from one connection, and keeps it: with a year of a thousand sites there are 25,000 reports that hardly change. */
export class ArchiveFacts {
  readonly #db: Db;
  /** The last attempt that was read; undefined where nothing that was read can be relied on. */
  #last: number | undefined;
  #facts = new Map<number, ReportFacts>();
  #skipped: ReadonlySet<number> = new Set();
  #bySite: ArchiveBySite = new Map();

  /** Not for a connection inside a transaction that may be taken back, but to be read once. */
  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Reads ahead of who asks next, a little in each turn (`turn` resolves in the next one): what came since the last read, or all of it where it was
   * never read, or too much came, or `isAll` asks for it.
   */
  async keepUp(turn: () => Promise<void>, isAll = false): Promise<void> {
    if (isAll) this.#last = undefined;
    const since = this.#last;
    const last = newest(this.#db).first()?.id ?? 0;
    if (since !== undefined && last - since <= MOST_CHANGED) {
      this.read();
      return;
    }
    const targets = targetsById(this.#db);
    const ids = [...targets.keys()];
    const facts = new Map<number, ReportFacts>();
    for (let place = 0; place < ids.length; place += SLICE) {
      for (const one of readFacts(this.#db, targets, ids.slice(place, place + SLICE)))
        facts.set(one.target, one);
      await turn();
      // Somebody who could not wait has read all of it.
      if (this.#last !== since) return;
    }
    this.#facts = facts;
    this.#skipped = this.#leftOut();
    this.#bySite = this.#gathered(targets.values());
    this.#last = last;
  }

  /** What is archived: the same map for as long as nothing of it is another. Throws what the database throws, and then reads all anew. */
  read(isAll = false): ArchiveBySite {
    const since = isAll ? undefined : this.#last;
    this.#last = undefined;
    const last = newest(this.#db).first()?.id ?? 0;
    const targets = targetsById(this.#db);
    if (since === undefined || last - since > MOST_CHANGED) {
      this.#facts = new Map(readFacts(this.#db, targets).map((facts) => [facts.target, facts]));
      this.#skipped = this.#leftOut();
      this.#bySite = this.#gathered(targets.values());
    } else {
      const tried = new Set(
        triedSince(this.#db)
          .all(since)
          .map(({ target }) => target),
      );
      const skipped = this.#leftOut();
      const changed = skipped.symmetricDifference(this.#skipped);
      this.#skipped = skipped;
      for (const facts of readFacts(this.#db, targets, [...tried])) {
        if (Bun.deepEquals(this.#facts.get(facts.target), facts)) continue;
        this.#facts.set(facts.target, facts);
        changed.add(facts.target);
      }
      if (changed.size > 0) this.#follow(targets, changed);
    }
    this.#last = last;
    return this.#bySite;
  }

  #leftOut(): ReadonlySet<number> {
    return new Set(
      leftOut(this.#db)
        .all()
        .map(({ target }) => target),
    );
  }

  /** Makes the properties anew that some reports are of; all others stay as they are. */
  #follow(targets: ReadonlyMap<number, NumberedTarget>, changed: ReadonlySet<number>): void {
    const sites = new Set([...changed].flatMap((id) => targets.get(id)?.asset ?? []));
    const anew = this.#gathered([...sites].flatMap((asset) => listTargets(this.#db, { asset })));
    const kept = [...anew].map(([asset, archives]) => {
      const before = this.#bySite.get(asset) ?? [];
      return [asset, archives.map((one) => before.find((same) => Bun.deepEquals(same, one)) ?? one)] as const;
    });
    this.#bySite = new Map([...this.#bySite, ...kept]);
  }

  #gathered(of: Iterable<NumberedTarget>): Map<string, PropertyArchive[]> {
    const bySite = new Map<string, (PropertyArchive & { reports: ReportFacts[]; skipped: Set<string> })[]>();
    for (const { id, asset, provider, connectionRevision, property, family } of of) {
      const facts = this.#facts.get(id);
      const isSkipped = this.#skipped.has(id);
      if (facts === undefined && !isSkipped) continue;
      const archives = bySite.get(asset) ?? [];
      bySite.set(asset, archives);
      const key = { asset, provider, connectionRevision, property };
      let archive = archives.find((one) => isSameProperty(one, key));
      if (archive === undefined) {
        archive = { ...key, reports: [], skipped: new Set() };
        archives.push(archive);
      }
      if (isSkipped) archive.skipped.add(family);
      else if (facts !== undefined) archive.reports.push(facts);
    }
    for (const archives of bySite.values()) {
      for (const { reports } of archives) reports.sort(byFamily);
    }
    return bySite;
  }
}

/** What tells properties of one site apart. */
type PropertyKey = Pick<PropertyArchive, "provider" | "connectionRevision" | "property">;

/** Whether two properties of a site are the same one. */
export const isSameProperty = (one: PropertyKey, other: PropertyKey): boolean =>
  one.provider === other.provider &&
  one.property === other.property &&
  one.connectionRevision === other.connectionRevision;

const byFamily = (a: ReportFacts, b: ReportFacts): number =>
  (PLACE.get(a.family) ?? 0) - (PLACE.get(b.family) ?? 0);
