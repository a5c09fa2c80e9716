/** The values that a day of a figure had, one after another. */
import type { Db } from "../../db/mod.ts";
import type { SeriesSource } from "../../flags/mod.ts";
import { dayNumber, dayOfNumber } from "../../lib/day_number.ts";
import { addDays, type UtcDay } from "../../lib/utc_day.ts";
import { isProvider } from "../../provider/contract.ts";
import { findPulseBody, listRevisedDays, listRevisions, type Pulse, type PulseRow } from "../../pulse/mod.ts";
import { type DayRevision, revisionsBetween } from "../../signals/mod.ts";
import { readWhole } from "../damage.tsx";
import type { SiteDays } from "./lane.ts";
import { closeText, type FigureUnit, figureText } from "./named.ts";

/** Most revisions of a nightly report that are compared, the newest. */
export const MOST_REVISIONS = 20;
/** Most revised days that are told of one figure, the newest. */
const MOST_DAYS = 20;

/** A value that a day had for a while, and when it was first told, in milliseconds since the epoch. */
export interface SeenValue {
  /** Null where it was told that there is none. */
  readonly value: number | null;
  readonly seenAt: number;
}

/** A day whose value became another. */
export interface RevisedDay {
  readonly day: UtcDay;
  /** Oldest first; the last one holds. */
  readonly seen: readonly SeenValue[];
}

/** What a revision of a nightly report says. */
export interface SentRevision {
  readonly receivedAt: number;
  readonly metrics: Pulse["metrics"];
}

/** What each of these revisions says, the oldest first; a body that is damaged says nothing. */
export function sentRevisions(db: Db, reports: readonly PulseRow[]): SentRevision[] {
  return reports.toReversed().flatMap((row) => {
    const body = readWhole(() => findPulseBody(db, row));
    return body.ok
      ? [{ receivedAt: row.receivedAt, metrics: (JSON.parse(body.value) as Pulse).metrics }]
      : [];
  });
}

/** The values that the revisions of a day's report gave a metric; one that is no longer sent has none. */
export function sentSeen(sent: readonly SentRevision[], metric: string): SeenValue[] {
  return changesOf(
    sent.map(({ receivedAt, metrics }) => ({
      value: (Object.hasOwn(metrics, metric) ? metrics[metric]?.last24h : undefined) ?? null,
      seenAt: receivedAt,
    })),
  );
}

export function signalSeen(revisions: readonly Pick<DayRevision, "value" | "firstAt">[]): SeenValue[] {
  return changesOf(revisions.map(({ value, firstAt }) => ({ value, seenAt: firstAt })));
}

/** The values in their order, each once for as long as it held; what is absent before the first value is no value. Pure. */
export function changesOf(values: readonly SeenValue[]): SeenValue[] {
  const changes: SeenValue[] = [];
  for (const seen of values) {
    const last = changes.at(-1);
    if (last === undefined ? seen.value === null : last.value === seen.value) continue;
    changes.push(seen);
  }
  return changes;
}

/** More digits than any value of a series has. */
const MOST_DIGITS = 17;

/** The values in words, each told from the one before: with more digits than elsewhere where they would read alike. Pure. */
export function seenTexts(unit: FigureUnit, seen: readonly SeenValue[]): string[] {
  const inWords = (text: (value: number) => string) =>
    seen.map(({ value }) => (value === null ? "not sent" : text(value)));
  const readAlike = (texts: readonly string[]) =>
    texts.some((text, at) => text === texts[at - 1] && seen[at]?.value !== seen[at - 1]?.value);
  let texts = inWords((value) => figureText(unit, value));
  for (let digits = 3; digits <= MOST_DIGITS && readAlike(texts); digits++) {
    texts = inWords((value) => closeText(unit, value, digits));
  }
  return texts;
}

/** The days of one figure whose value was revised, the newest first. */
export function readRevised(
  db: Db,
  of: { readonly asset: string; readonly source: SeriesSource; readonly metric: string },
  { days, offset }: Pick<SiteDays, "days" | "offset">,
): RevisedDay[] {
  const { asset, source, metric } = of;
  const all = isProvider(source)
    ? [
        ...revisionsBetween(db, {
          asset,
          source,
          metric,
          from: dayNumber(days.from),
          to: dayNumber(days.to),
        }),
      ].map(([day, revisions]) => ({ day: dayOfNumber(day), seen: signalSeen(revisions) }))
    : listRevisedDays(
        db,
        asset,
        { from: addDays(days.from, -offset), to: addDays(days.to, -offset) },
        MOST_DAYS,
      ).map((day) => ({
        day: addDays(day, offset),
        seen: sentSeen(sentRevisions(db, listRevisions(db, asset, day, MOST_REVISIONS)), metric),
      }));
  return all
    .filter(({ seen }) => seen.length > 1)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))
    .slice(0, MOST_DAYS);
}
