/** From a provider's answer as it came to what it changes: reads what is stored of the site, and writes nothing. */
import type { Db } from "../db/mod.ts";
import { parseDaily, type RawDaily } from "../provider/ask.ts";
import { type DailyReport, type Fault, SIGNAL_METRICS } from "../provider/contract.ts";
import { daysOf, findSeries, readBlocks } from "../series/mod.ts";
import { latestAttempt } from "./attempt_store.ts";
import { type Decision, decide, type Held } from "./decide.ts";
import { findKnownProperty, type KnownProperty, listTargets } from "./observation_store.ts";
import type { DayFigure } from "./observed.ts";

/** A site's answer. Plain data: it is handed to another thread. */
export interface AnswerQuestion {
  readonly asset: string;
  readonly raw: RawDaily;
}

/** What an answer comes to: what changes, or why it is none. Plain data. */
export type Judged =
  | {
      readonly ok: true;
      readonly decision: Decision;
      /** '' where the provider names none. */
      readonly timeZone: string;
      /** The newest observation of the site and source that was seen: another one since makes it void. */
      readonly newest: number;
    }
  | { readonly ok: false; readonly fault: Fault };

/** Calendars differ by a day at most; a change of the time zone excludes days up to the later of two. */
const DAYS_AHEAD = 2;

/** Reads an answer and holds it against what is stored. */
export function judgeAnswer(db: Db, { asset, raw }: AnswerQuestion): Judged {
  const read = parseDaily(raw);
  if (!read.ok) return read;
  const report = read.value;
  const of = { asset, provider: raw.provider, property: raw.property };
  const known = findKnownProperty(db, of);
  const decision = decide(report, heldOf(db, of, known, report), raw.askedAt);
  return { ok: true, decision, timeZone: report.timeZone ?? "", newest: known.newest };
}

function heldOf(
  db: Db,
  of: { readonly asset: string; readonly provider: RawDaily["provider"]; readonly property: string },
  known: KnownProperty,
  report: DailyReport,
): Held {
  const { asset, provider } = of;
  const figures = SIGNAL_METRICS[provider].map((metric) => {
    const days = new Map<number, DayFigure>();
    const series = findSeries(db, { asset, source: provider, metric });
    if (series === undefined) return days;
    for (const { block, days: bytes } of readBlocks(db, series, report.from, report.to + DAYS_AHEAD)) {
      for (const [day, figure] of daysOf(bytes, block)) days.set(day, figure);
    }
    return days;
  });
  return {
    figures,
    isSameProperty: known.isSameProperty,
    firstData: known.firstData,
    changedAt: known.last?.at,
    zone: zoneOf(db, of, known, report),
  };
}

/** In which zone the property last told its days, and when it last answered in it: that is asked only where the zone is another one. */
function zoneOf(
  db: Db,
  of: { readonly asset: string; readonly provider: RawDaily["provider"]; readonly property: string },
  { last }: KnownProperty,
  report: DailyReport,
): Held["zone"] {
  if (last === undefined || last.timeZone === "") return undefined;
  const zone = { name: last.timeZone, answeredAt: last.at };
  if (zone.name === report.timeZone) return zone;
  const answered = listTargets(db, of)
    .filter(({ property, timeZone }) => property === of.property && timeZone === zone.name)
    .map(({ id }) => latestAttempt(db, id))
    .flatMap((attempt) => (attempt?.category === null ? attempt.startedAt : []));
  return { ...zone, answeredAt: Math.max(zone.answeredAt, ...answered) };
}
