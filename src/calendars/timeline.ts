/** What a good read changes on the timeline, and what is to come. Pure. */
import type { StoredAnnotation } from "../annotations/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { CalendarText, Occurrence } from "./events.ts";

/** Who posts and strikes what a calendar tells. */
export const posterOf = (name: string): string => `calendar:${name}`;

/** An occurrence's ref: what has come is known again by it, however often it is read. */
export const refOf = (name: string, { uid, at }: Pick<Occurrence, "uid" | "at">): string =>
  `${posterOf(name)}:${uid}:${formatInstant(at)}`;

/** What is read of an annotation of the calendar's. */
export type Told = Pick<StoredAnnotation, "id" | "ref" | "atMs" | "struck">;

const START_LENGTH = formatInstant(0).length;

/**
 * What has come and is not told yet is appended. What is told and stands in the text no more is struck where the text shows that it was moved or
 * cancelled: its event is in the text with other times, or the text has an event from before it and not this one. A text that begins later shows
 * nothing: many calendars drop what is over, and one that is empty is rather emptied by mistake or between two seasons than a wish to unsay what
 * happened. What an operator struck stays struck.
 */
export function changesOf(name: string, text: CalendarText, told: readonly Told[], now: number) {
  const known = new Set(told.map(({ ref }) => ref));
  const [whole, broken] = [new Set(text.whole), new Set(text.broken)];
  const here = new Set(text.occurrences.map((one) => refOf(name, one)));
  const isGone = ({ ref, atMs }: Told) => {
    const uid = ref.slice(posterOf(name).length + 1, -START_LENGTH - 1);
    if (here.has(ref) || broken.has(uid) || atMs < text.since || atMs > now) return false;
    // An event without an id that was left out may be any.
    return whole.has(uid) || (atMs >= text.reachesBackTo && !broken.has(""));
  };
  return {
    append: text.occurrences.filter((one) => one.at <= now && !known.has(refOf(name, one))),
    strike: told.filter((one) => one.struck === undefined && isGone(one)).map(({ id }) => id),
    unstrike: told
      .filter(({ ref, struck }) => struck?.by === posterOf(name) && here.has(ref))
      .map(({ id }) => id),
    coming: text.occurrences.filter(({ at }) => at > now),
  };
}
