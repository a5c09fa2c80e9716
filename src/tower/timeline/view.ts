/** Everything the Timeline shows: plain data, no HTML. */
import {
  type AnnotationFilter,
  type AnnotationKind,
  type AnnotationTally,
  EVERY_SITE,
  findAnnotation,
  findFirst,
  findLastStored,
  listAnnotations,
  type StoredAnnotation,
  tallyAnnotations,
} from "../../annotations/mod.ts";
import { hasAsset } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, daysBetween, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { instantsOf, type TimelineDays, type TimelineQuery, timelineDays } from "./query.ts";

/** Entries on one page of the log. */
const PAGE_SIZE = 100;
/** Most new entries that are told of by name. */
const MOST_NEWS = 20;
/** Spans the picture is cut into at most: on a phone a letter needs a twentieth of the width. */
const MOST_SPANS = 20;

/** One entry of the log. */
export interface TimelineEntry extends StoredAnnotation {
  /** Where it stands: on every site's timeline, a site's, or that of a site nobody has added yet. */
  readonly place: "every-site" | "portfolio" | "outside";
}

/** The entries of one UTC day, newest first. */
export interface TimelineDay {
  readonly day: UtcDay;
  readonly entries: readonly TimelineEntry[];
}

/** What the page shows. */
export interface TimelineView {
  readonly query: TimelineQuery;
  readonly days: TimelineDays;
  /** Entries of the days by kind, whatever kind is chosen. */
  readonly counts: ReadonlyMap<AnnotationKind, number>;
  readonly total: number;
  /** For the picture: the chosen kinds, by span of days. */
  readonly tallies: readonly AnnotationTally[];
  /** Where the picture's spans begin, and the day after the last one. */
  readonly bounds: readonly UtcDay[];
  readonly log: readonly TimelineDay[];
  /** The id the next page goes on before, or null. */
  readonly next: string | null;
  /** Where the log is empty: the newest entry before these days. */
  readonly older: StoredAnnotation | undefined;
  /** The id of what was stored last, so that a refresh can tell what is new. */
  readonly seen: string;
  /** What was stored since the page was read, newest first. */
  readonly news: readonly TimelineEntry[];
}

/** Reads what a query asks for. `seen` is that of the page that refreshes itself, as it was opened; undefined for one that is opened. */
export function readTimeline(db: Db, query: TimelineQuery, now: number, seen?: string): TimelineView {
  const asset = query.site ?? query.asset ?? undefined;
  const scope: AnnotationFilter = { asset, kind: query.kind ?? undefined };
  const days = timelineDays(query, now, query.range === "all" ? findFirst(db, scope) : undefined);
  const between = instantsOf(days);
  const bounds = boundsOf(days);
  const tallies = tallyAnnotations(db, asset, bounds.map(startOfDay));
  const counts = new Map<AnnotationKind, number>();
  for (const { kind, count } of tallies) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const after = query.before === null ? undefined : findAnnotation(db, query.before);
  const rows = listAnnotations(db, { ...scope, ...between }, PAGE_SIZE + 1, after);
  const shown = rows.slice(0, PAGE_SIZE);
  const entry = entryMaker(db, query.site);
  return {
    query,
    days,
    counts,
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
    tallies: tallies.filter(({ kind }) => query.kind === null || kind === query.kind),
    bounds,
    log: byDay(shown.map(entry)),
    next: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null,
    older: shown.length > 0 ? undefined : listAnnotations(db, { ...scope, to: between.from }, 1)[0],
    seen: findLastStored(db) ?? "",
    news:
      seen === undefined ? [] : listAnnotations(db, { ...scope, storedAfter: seen }, MOST_NEWS).map(entry),
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

/** Cuts a log, newest first, into its days. */
function byDay(entries: readonly TimelineEntry[]): TimelineDay[] {
  const days: { day: UtcDay; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const day = utcDayOf(entry.atMs);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
