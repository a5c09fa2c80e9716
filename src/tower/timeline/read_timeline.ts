/** Everything the Timeline shows, read as plain data: annotations and flags by day, page by page. */

import {
  addDays,
  dayOfNumber,
  daysBetween,
  formatInstant,
  parseUtcDay,
  startOfDay,
  type UtcDay,
  utcDayOf,
} from "../../base/time.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { type FlagTurn, findFirstBegun, listFlagMoments, tallyFlagMoments } from "../../flags/queries.ts";
import { flagsShown } from "../../reports/shown_day.ts";
import { type AnnotationKind, EVERY_SITE } from "../../sites/annotation_schema.ts";
import {
  type AnnotationFilter,
  type AnnotationTally,
  findAnnotation,
  findFirst,
  listAnnotations,
  type StoredAnnotation,
  tallyAnnotations,
  tallyFound,
} from "../../sites/annotations.ts";
import { hasAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { Severity, SeverityCounts } from "../kit/links.tsx";
import {
  annotationKindOf,
  flagTurnsOf,
  instantsOf,
  sinceOf,
  type TimelineDays,
  type TimelineQuery,
  timelineDays,
} from "./add_form.tsx";

/** Flags of a day that are in sight beside annotations; the rest is opened. */
export const IN_SIGHT = 5;
/** Most flags of a day and turn that are named: beside annotations, and where flags alone are asked for. */
const MOST_NAMED = { beside: 50, alone: 200 } as const;

/** What happened to flags on one day. */
export interface FlagDay {
  readonly day: UtcDay;
  readonly raised: SeverityCounts;
  readonly resolved: SeverityCounts;
}

/** A flag with what happened to it. */
export interface TurnedFlag {
  readonly turn: FlagTurn;
  readonly flag: ChainedFlag;
}

const NONE: SeverityCounts = { error: 0, warn: 0, info: 0 };

/** The site whose flags are asked for; undefined for all. */
const siteOf = ({ site, asset }: TimelineQuery): string | undefined => site ?? asset ?? undefined;

/** The instants of the days, from where it is asked for on. */
const flagInstants = (query: TimelineQuery, days: TimelineDays) => {
  const { from, to } = instantsOf(days);
  return { from: Math.max(from, sinceOf(query) ?? from), to };
};

/** How much of the days came after an instant: entries up to a page's worth, and what happened to flags. */
function countNews(db: Db, query: TimelineQuery, days: TimelineDays): number {
  const asset = siteOf(query);
  const entries = listAnnotations(
    db,
    { asset, q: query.q, receivedAfter: sinceOf(query), ...instantsOf(days) },
    PAGE_SIZE,
  ).length;
  const turns = flagTurnsOf({ ...query, kind: null }).flatMap((turn) =>
    tallyFlagMoments(db, { turn, asset, ...flagInstants(query, days) }),
  );
  return entries + turns.reduce((sum, { count }) => sum + count, 0);
}

/** Every day with anything, newest first, whatever of it is asked for. */
function readFlagDays(db: Db, query: TimelineQuery, days: TimelineDays): FlagDay[] {
  if (flagTurnsOf({ ...query, kind: null }).length === 0) return [];
  const found = new Map<number, { raised: SeverityCounts; resolved: SeverityCounts }>();
  for (const turn of ["raised", "resolved"] as const) {
    for (const { day, severity, count } of tallyFlagMoments(db, {
      turn,
      asset: siteOf(query),
      ...flagInstants(query, days),
    })) {
      const known = found.get(day) ?? { raised: NONE, resolved: NONE };
      found.set(day, { ...known, [turn]: { ...known[turn], [severity]: count } });
    }
  }
  return [...found]
    .sort(([one], [other]) => other - one)
    .map(([day, counts]) => ({ day: dayOfNumber(day), ...counts }));
}

/** How many of a day are asked for. */
function askedOf(day: FlagDay, query: TimelineQuery): number {
  return flagTurnsOf(query).reduce((sum, turn) => sum + countOf(day[turn], query.severity), 0);
}

export function countOf(counts: SeverityCounts, severity: Severity | null): number {
  return severity === null ? counts.error + counts.warn + counts.info : counts[severity];
}

/** The flags of a day that are asked for: those raised before those resolved, the worst first. */
function readFlagsOf(db: Db, query: TimelineQuery, day: UtcDay): TurnedFlag[] {
  const { from, to } = flagInstants(query, { from: day, to: day });
  const severity = query.severity ?? undefined;
  const most = query.kind === null ? MOST_NAMED.beside : MOST_NAMED.alone;
  return flagTurnsOf(query).flatMap((turn) =>
    listFlagMoments(db, { turn, asset: siteOf(query), severity, from, to }, most)
      .map(flagsShown(db))
      .map((flag) => ({ turn, flag })),
  );
}

/** When the first flag that is asked for was raised, in milliseconds since the epoch. */
function firstFlagOf(db: Db, query: TimelineQuery): number | undefined {
  return flagTurnsOf(query).length === 0 ? undefined : findFirstBegun(db, siteOf(query));
}

/** What a page is made of: entries by moment, newest first and one more than a page takes where there are more, and days with flags. */
interface LogParts<Entry> {
  readonly entries: readonly Entry[];
  /** Lines that the flags of a day take, by day; days without any are not named. */
  readonly flagLines: ReadonlyMap<UtcDay, number>;
}

/** A day on the page. */
interface PagedDay<Entry> {
  readonly day: UtcDay;
  readonly entries: readonly Entry[];
}

interface LogPage<Entry> {
  readonly days: readonly PagedDay<Entry>[];
  /** The next page goes on before this entry, or before this day; null where there is none. */
  readonly next: { readonly entry: Entry } | { readonly day: UtcDay } | null;
}

/**
 * Whole days, newest first, until `size` lines are full. A day with more entries than fit is cut within them: its flags stand where it
 * begins, and the next page goes on after its last entry.
 */
export function pageOfLog<Entry>(
  { entries, flagLines }: LogParts<Entry>,
  size: number,
  dayOf: (entry: Entry) => UtcDay,
): LogPage<Entry> {
  const fitting = entries.slice(0, size);
  const cutAt = entries.length > size ? dayOf(entries[size] as Entry) : null;
  const byDay = Map.groupBy(fitting, dayOf);
  const known = new Set([...byDay.keys(), ...flagLines.keys(), ...(cutAt === null ? [] : [cutAt])]);
  const days: PagedDay<Entry>[] = [];
  let lines = 0;
  for (const day of [...known].sort().reverse()) {
    const above = days.at(-1);
    if (lines >= size && above !== undefined) return { days, next: { day: above.day } };
    const own = byDay.get(day) ?? [];
    const last = own.at(-1);
    // The first entry that was not read is of this day: nothing is known of the days before it.
    if (day === cutAt && last !== undefined)
      return { days: [...days, { day, entries: own }], next: { entry: last } };
    days.push({ day, entries: own });
    lines += own.length + (flagLines.get(day) ?? 0);
  }
  return { days, next: null };
}

/** Lines on one page of the log. */
const PAGE_SIZE = 100;
/** Most entries of a search that are counted and drawn, the newest. */
const MOST_FOUND = 5_000;
/** Spans the picture is cut into at most: on a phone a letter needs a twentieth of the width. */
const MOST_SPANS = 20;

/** One entry of the log. */
export interface TimelineEntry extends StoredAnnotation {
  /** Where it stands: on every site's timeline, a site's, or that of a site nobody has added yet. */
  readonly place: "every-site" | "portfolio" | "outside";
}

/** The entries of one UTC day, newest first, and what happened to flags on it. */
export interface TimelineDay {
  readonly day: UtcDay;
  readonly entries: readonly TimelineEntry[];
  /** Those raised before those resolved, the worst first. */
  readonly flags: readonly TurnedFlag[];
  /** How many there are: of very many only the worst are named. */
  readonly flagCount: number;
}

/** What the page shows. */
export interface TimelineView {
  readonly query: TimelineQuery;
  readonly days: TimelineDays;
  /** Entries of the days by kind, whatever kind is chosen. */
  readonly counts: ReadonlyMap<AnnotationKind, number>;
  /** Days on which anything happened to flags, newest first, whatever of it is chosen. */
  readonly flagDays: readonly FlagDay[];
  /** All entries of the days, flags among them. */
  readonly total: number;
  /** For the picture: the chosen kinds, by span of days. */
  readonly tallies: readonly AnnotationTally[];
  /** Where the picture's spans begin, and the day after the last one. */
  readonly bounds: readonly UtcDay[];
  readonly log: readonly TimelineDay[];
  /** What the next page goes on before, as the address says it, or null. */
  readonly next: string | null;
  /** Where the log is empty: the newest entry before these days. */
  readonly older: StoredAnnotation | undefined;
  /** How much came since the operator's visit before this one; undefined where that is not known. */
  readonly unseen: number | undefined;
}

/** Reads what a query asks for; `lastVisit` is when the operator's visit before this one ended. */
export function readTimeline(db: Db, query: TimelineQuery, now: number, lastVisit?: number): TimelineView {
  const asset = query.site ?? query.asset ?? undefined;
  const kind = annotationKindOf(query);
  const { q } = query;
  const receivedAfter = sinceOf(query);
  const scope: AnnotationFilter = { asset, kind: kind ?? undefined, q, receivedAfter };
  const days = timelineDays(query, now, query.range === "all" ? firstOf(db, query, scope) : undefined);
  const between = instantsOf(days);
  const bounds = boundsOf(days);
  const spans = bounds.map(startOfDay);
  const tallies =
    q === "" && receivedAfter === undefined
      ? tallyAnnotations(db, asset, spans)
      : tallyFound(listAnnotations(db, { asset, q, receivedAfter, ...between }, MOST_FOUND), spans);
  const counts = new Map<AnnotationKind, number>();
  for (const { kind, count } of tallies) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const flagDays = readFlagDays(db, query, days);
  const entry = entryMaker(db, query.site);
  const { log, next } = readLog(db, { query, scope, between, flagDays, isListed: kind !== undefined });
  return {
    query,
    days,
    counts,
    flagDays,
    total:
      [...counts.values()].reduce((sum, count) => sum + count, 0) +
      flagDays.reduce((sum, day) => sum + askedOf(day, { ...query, kind: null, severity: null }), 0),
    tallies: tallies.filter((tally) => kind === null || tally.kind === kind),
    bounds,
    log: log.map(({ entries, ...day }) => ({ ...day, entries: entries.map(entry) })),
    next,
    older:
      log.length > 0 || kind === undefined
        ? undefined
        : listAnnotations(db, { ...scope, to: between.from }, 1)[0],
    unseen:
      lastVisit === undefined
        ? undefined
        : countNews(db, { ...query, since: formatInstant(lastVisit) }, days),
  };
}

function firstOf(db: Db, query: TimelineQuery, scope: AnnotationFilter): number | undefined {
  const known = [findFirst(db, scope), firstFlagOf(db, query)].filter((first) => first !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** One page of the log. */
function readLog(
  db: Db,
  of: {
    readonly query: TimelineQuery;
    readonly scope: AnnotationFilter;
    readonly between: { readonly from: number; readonly to: number };
    readonly flagDays: readonly FlagDay[];
    /** Whether annotations are asked for at all. */
    readonly isListed: boolean;
  },
) {
  const { query, scope, between } = of;
  const beforeDay = query.before === null ? undefined : parseUtcDay(query.before);
  const after =
    query.before === null || beforeDay !== undefined ? undefined : findAnnotation(db, query.before);
  const to = beforeDay === undefined ? between.to : Math.min(between.to, startOfDay(beforeDay));
  const entries = of.isListed
    ? listAnnotations(db, { ...scope, from: between.from, to }, PAGE_SIZE + 1, after)
    : [];
  // The flags of a day stand where it begins: a page that goes on within one has told them.
  const until = beforeDay ?? (after === undefined ? undefined : utcDayOf(after.atMs));
  const asked = new Map(
    of.flagDays.flatMap((day) => {
      const count = until !== undefined && day.day >= until ? 0 : askedOf(day, query);
      return count === 0 ? [] : [[day.day, count] as const];
    }),
  );
  const flagLines = new Map([...asked].map(([day, count]) => [day, Math.min(count, IN_SIGHT + 1)]));
  const page = pageOfLog({ entries, flagLines }, PAGE_SIZE, ({ atMs }) => utcDayOf(atMs));
  return {
    log: page.days.map(({ day, entries }) => {
      const flagCount = asked.get(day) ?? 0;
      return { day, entries, flagCount, flags: flagCount === 0 ? [] : readFlagsOf(db, query, day) };
    }),
    next: page.next === null ? null : "day" in page.next ? page.next.day : page.next.entry.id,
  };
}

/** Cuts days into spans that differ by at most one day, so that none is too narrow for its letter. */
export function boundsOf(days: TimelineDays): UtcDay[] {
  const length = daysBetween(days.from, days.to) + 1;
  const spans = Math.min(length, MOST_SPANS);
  return Array.from({ length: spans + 1 }, (_, index) =>
    addDays(days.from, Math.round((index * length) / spans)),
  );
}

/** Asks once for each other site whether it is in the portfolio. */
function entryMaker(db: Db, site: string | null): (row: StoredAnnotation) => TimelineEntry {
  const known = new Map<string, boolean>(site === null ? [] : [[site, true]]);
  return (row) => {
    if (row.asset === EVERY_SITE) return { ...row, place: "every-site" };
    const inside = known.get(row.asset) ?? hasAsset(db, row.asset);
    known.set(row.asset, inside);
    return { ...row, place: inside ? "portfolio" : "outside" };
  };
}
