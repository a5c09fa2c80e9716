/** Everything the Timeline shows, read as plain data: a page of annotations and flags, by day. */

import { addDays, parseInstant, startOfDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { type FlagTurn, listFlagMoments } from "../../flags/queries.ts";
import { flagsShown } from "../../reports/shown_day.ts";
import { EVERY_SITE, listAnnotations, type StoredAnnotation } from "../../sites/annotations.ts";
import { hasAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { ChartDays } from "../kit/chart_scale.tsx";
import { SEVERITIES } from "../kit/links.tsx";
import { annotationKindOf, flagTurnsOf, sinceOf, type TimelineQuery, timelineDays } from "./add_form.tsx";

/** Lines on one page of the log, and most pages of the days that are asked for: an earlier stretch shows what is beyond. */
const [PAGE_SIZE, MOST_PAGES] = [100, 50];

/** A flag with what happened to it. */
export interface TurnedFlag {
  readonly turn: FlagTurn;
  readonly flag: ChainedFlag;
  readonly at: number;
}

/** One entry of the log. */
export interface TimelineEntry extends StoredAnnotation {
  /** Where it stands: on every site's timeline, a site's, or that of a site nobody has added yet. */
  readonly place: "every-site" | "portfolio" | "outside";
}

/** The entries of one UTC day that are on the page, newest first, and what happened to flags on it. */
export interface TimelineDay {
  readonly day: UtcDay;
  readonly entries: readonly TimelineEntry[];
  /** Those raised before those resolved, the worst first. */
  readonly flags: readonly TurnedFlag[];
}

/** What the page shows. */
export interface TimelineView {
  readonly query: TimelineQuery;
  readonly days: ChartDays;
  readonly log: readonly TimelineDay[];
  /** The page that goes on back in time; null where there is none. */
  readonly next: number | null;
}

/** Reads what a query asks for. */
export function readTimeline(db: Db, query: TimelineQuery, now: number): TimelineView {
  const days = timelineDays(query, now);
  const page = Math.min(query.page, MOST_PAGES);
  const lines = readLines(db, query, days, page * PAGE_SIZE + 1);
  const placed = placeMaker(db, query.site);
  const byDay = Map.groupBy(lines.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), ({ at }) => utcDayOf(at));
  return {
    query: { ...query, page },
    days,
    log: [...byDay].map(([day, of]) => ({
      day,
      entries: of.flatMap((line) => ("entry" in line ? [{ ...line.entry, place: placed(line.entry) }] : [])),
      flags: of.flatMap((line) => ("flag" in line ? [line] : [])).toSorted(worstFirst),
    })),
    next: lines.length > page * PAGE_SIZE && page < MOST_PAGES ? page + 1 : null,
  };
}

/** The newest lines of the days: annotations, and what happened to flags. */
function readLines(db: Db, query: TimelineQuery, days: ChartDays, limit: number) {
  const { q } = query;
  const asset = query.site ?? query.asset ?? undefined;
  const [kind, since] = [annotationKindOf(query), sinceOf(query)];
  const between = { from: startOfDay(days.from), to: startOfDay(addDays(days.to, 1)) };
  const entries =
    kind === undefined
      ? []
      : listAnnotations(
          db,
          { asset, kind: kind ?? undefined, q, receivedAfter: since, ...between },
          limit,
        ).map((entry) => ({ at: entry.atMs, entry }));
  const severity = query.severity ?? undefined;
  const from = Math.max(between.from, since ?? between.from);
  const flags = flagTurnsOf(query).flatMap((turn) =>
    listFlagMoments(db, { turn, asset, severity, from, to: between.to }, "newest", limit)
      .map(flagsShown(db))
      .map((flag): TurnedFlag => ({ turn, flag, at: momentOf(turn, flag) })),
  );
  return [...entries, ...flags].sort((one, other) => other.at - one.at).slice(0, limit);
}

const momentOf = (turn: FlagTurn, { raised_at, resolved_at }: ChainedFlag): number =>
  parseInstant((turn === "raised" ? raised_at : resolved_at) ?? raised_at) ?? 0;

const placeOf = ({ turn, flag }: TurnedFlag) =>
  (turn === "raised" ? 0 : SEVERITIES.length) + SEVERITIES.indexOf(flag.severity);
const worstFirst = (one: TurnedFlag, other: TurnedFlag) => placeOf(one) - placeOf(other);

/** Asks once for each other site whether it is in the portfolio. */
function placeMaker(db: Db, site: string | null): (row: StoredAnnotation) => TimelineEntry["place"] {
  const known = new Map<string, boolean>(site === null ? [] : [[site, true]]);
  return ({ asset }) => {
    if (asset === EVERY_SITE) return "every-site";
    const inside = known.get(asset) ?? hasAsset(db, asset);
    known.set(asset, inside);
    return inside ? "portfolio" : "outside";
  };
}
