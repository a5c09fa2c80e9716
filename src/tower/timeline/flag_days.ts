/** What happened to flags, by day: how many of each severity, and the worst of a day by name. */

import type { Db } from "../../db/mod.ts";
import {
  type ChainedFlag,
  type FlagTurn,
  findFirstBegun,
  listFlagMoments,
  tallyFlagMoments,
} from "../../flags/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import { addDays, startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import type { Severity, SeverityCounts } from "../component/severity.tsx";
import { flagsShown } from "../shown_days.ts";
import { flagTurnsOf, instantsOf, type TimelineDays, type TimelineQuery } from "./query.ts";

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

/** Every day with anything, newest first, whatever of it is asked for. */
export function readFlagDays(db: Db, query: TimelineQuery, days: TimelineDays): FlagDay[] {
  if (query.asset === "*") return [];
  const found = new Map<number, { raised: SeverityCounts; resolved: SeverityCounts }>();
  for (const turn of ["raised", "resolved"] as const) {
    for (const { day, severity, count } of tallyFlagMoments(db, {
      turn,
      asset: siteOf(query),
      ...instantsOf(days),
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
export function askedOf(day: FlagDay, query: TimelineQuery): number {
  return flagTurnsOf(query).reduce((sum, turn) => sum + countOf(day[turn], query.severity), 0);
}

export function countOf(counts: SeverityCounts, severity: Severity | null): number {
  return severity === null ? counts.error + counts.warn + counts.info : counts[severity];
}

/** The flags of a day that are asked for: those raised before those resolved, the worst first. */
export function readFlagsOf(db: Db, query: TimelineQuery, day: UtcDay): TurnedFlag[] {
  const [from, to] = [startOfDay(day), startOfDay(addDays(day, 1))];
  const severity = query.severity ?? undefined;
  const most = query.kind === null ? MOST_NAMED.beside : MOST_NAMED.alone;
  return flagTurnsOf(query).flatMap((turn) =>
    listFlagMoments(db, { turn, asset: siteOf(query), severity, from, to }, most)
      .map(flagsShown(db))
      .map((flag) => ({ turn, flag })),
  );
}

/** When the first flag that is asked for was raised, in milliseconds since the epoch. */
export function firstFlagOf(db: Db, query: TimelineQuery): number | undefined {
  return flagTurnsOf(query).length === 0 ? undefined : findFirstBegun(db, siteOf(query));
}
