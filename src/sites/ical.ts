/**
 * A calendar's text (iCalendar, RFC 5545) as occurrences around now. Pure. ical.js reads properties and expands rules in wall time; which
 * moment a wall time is, the runtime's time zone database says. Each event is read by itself: a broken one is left out and named.
 */

import ICAL from "ical.js";
import { hasControl } from "../base/contract.ts";
import { sha256Hex } from "../base/keys.ts";
import { countWords, shortText } from "../base/text.ts";
import { DAY_MS } from "../base/time.ts";

/** One time at which an event takes place. */
export interface Occurrence {
  /** The event's own id, or its digest where that is too long for a ref or holds a control character. */
  readonly uid: string;
  /** When it starts, in milliseconds since the epoch; of an all-day event 00:00 UTC, so that it stands on its own day everywhere. */
  readonly at: number;
  readonly isAllDay: boolean;
  /** Null where the event has no summary. */
  readonly title: string | null;
}

/** What a text says. */
export interface CalendarText {
  /** Those from `LOOK_BACK_MS` ago to `LOOK_AHEAD_MS` ahead, by start; the nearest `MOST_OCCURRENCES`. */
  readonly occurrences: readonly Occurrence[];
  /** Back to this moment `occurrences` holds all that the text has. */
  readonly since: number;
  /** When the text's first event starts; Infinity where there is none. */
  readonly reachesBackTo: number;
  /** Ids of events that were read whole, cancelled ones too, and of those that were left out. */
  readonly whole: readonly string[];
  readonly broken: readonly string[];
  /** What was left out or assumed, in sentences. */
  readonly notes: readonly string[];
}

/** Far enough back for an event that was entered late. */
export const LOOK_BACK_MS = 35 * DAY_MS;
const LOOK_AHEAD_MS = 60 * DAY_MS;
export const MOST_OCCURRENCES = 500;
const MOST_TITLE = 500;
/** Leaves room in a ref of 512 characters for the calendar's name and the start. */
const MOST_UID = 400;
/** Steps of an event's rules, microseconds each: a daily one since 1900, an hourly one for five years. */
const MOST_STEPS = 50_000;

/** Why an event is left out, as the end of a sentence. */
class LeftOut extends Error {}

/** Reads a text; undefined where it is no calendar, or not all of one, such as a page of a server or an answer that was cut off. */
export function readCalendar(given: string, now: number): CalendarText | undefined {
  const text = given
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/\n[ \t]/g, "")
    .trim();
  if (!/^BEGIN:VCALENDAR\s*\n/i.test(text) || !/\nEND:VCALENDAR$/i.test(text)) return undefined;
  const zones = zonesOf(text);
  const events: Event[] = [];
  const left: { readonly uid: string; readonly why: string }[] = [];
  const leaveOut = (uid: string, error: unknown) =>
    left.push({ uid: keyOf(uid), why: error instanceof LeftOut ? error.message : "cannot be read" });
  for (const block of blocksOf(text, "VEVENT")) {
    try {
      events.push(readEvent(ICAL.Component.fromString(block), zones));
    } catch (error) {
      leaveOut(/^UID[^:\n]*:(.*)$/im.exec(block)?.[1]?.trim() ?? "", error);
    }
  }
  const found = new Map<string, Occurrence>();
  const whole: string[] = [];
  for (const [uid, all] of Map.groupBy(events, (event) => event.uid)) {
    try {
      for (const one of occurrencesOf(all, now)) found.set(`${one.at} ${uid}`, one);
      whole.push(uid);
    } catch (error) {
      leaveOut(uid, error);
    }
  }
  const nearest = [...found.values()].sort((a, b) => Math.abs(a.at - now) - Math.abs(b.at - now));
  const beyond = nearest.splice(MOST_OCCURRENCES);
  const notes = [...Map.groupBy(left, ({ why }) => why)].map(
    ([why, some]) => `${countWords(some.length, "event")} left out: ${why}.`,
  );
  if (beyond.length > 0)
    notes.push(
      `${countWords(beyond.length, "occurrence")} left out, the farthest: ${MOST_OCCURRENCES} are kept.`,
    );
  if (zones.isAssumed) notes.push("Times without a time zone are read as UTC: the calendar names none.");
  return {
    occurrences: nearest.sort((a, b) => a.at - b.at),
    since: beyond.reduce((at, one) => (one.at > now ? at : Math.max(at, one.at + 1)), now - LOOK_BACK_MS),
    reachesBackTo: events.reduce((first, { start }) => Math.min(first, start.at), Number.POSITIVE_INFINITY),
    whole,
    broken: left.map(({ uid }) => uid),
    notes,
  };
}

/**
 * The components of a name, without lines that are none: text that was broken into lines without being folded. Each line is passed once: an
 * expression over all of the text takes hours where nothing ends what begins, and no end of its worker stops it.
 */
function blocksOf(text: string, name: string): string[] {
  const blocks: string[] = [];
  let begun: number | undefined;
  for (const { 0: line, 1: edge = "", index } of text.matchAll(
    new RegExp(`^(BEGIN|END):${name}[ \\t]*$`, "gim"),
  )) {
    if (edge.toUpperCase() === "BEGIN") {
      begun ??= index;
    } else if (begun !== undefined) {
      const block = text.slice(begun, index + line.length);
      begun = undefined;
      // A day is often written without saying that it is one.
      blocks.push(
        block.replace(/^(?![\w-]+[;:]).*\n/gm, "").replace(/^([\w-]+):(\d{8})$/gm, "$1;VALUE=DATE:$2"),
      );
    }
  }
  return blocks;
}

/** Between wall times, which are milliseconds as if the clock were one of UTC, and moments. */
interface Zone {
  readonly instantOf: (wall: number) => number;
  readonly wallOf: (instant: number) => number;
}

const UTC: Zone = { instantOf: (wall) => wall, wallOf: (instant) => instant };

type Zones = ReturnType<typeof zonesOf>;

/** A name of the time zone database is that database's zone, whatever rules the text repeats of it; another is what the text defines. */
function zonesOf(text: string) {
  const own = /^X-WR-TIMEZONE[^:\n]*:(.+)$/im.exec(text)?.[1]?.trim();
  const defined = new Map(
    blocksOf(text, "VTIMEZONE").map((block) => [/^TZID[^:\n]*:(.*)$/im.exec(block)?.[1]?.trim(), block]),
  );
  const known = new Map<string, Zone | undefined>();
  const named = (name: string) => {
    if (!known.has(name)) known.set(name, databaseZone(name) ?? definedZone(defined.get(name)));
    return known.get(name);
  };
  const zones = {
    /** Whether UTC was taken for a zone that the calendar does not name. */
    isAssumed: false,
    /** Of a name; '' is the calendar's own. Throws where nobody knows it: an hour wrong is worse than an event that is named as missing. */
    of: (name: string): Zone => {
      const zone = named(name === "" ? (own ?? "") : name);
      if (zone === undefined && name !== "")
        throw new LeftOut(`the time zone ${shortText(name, 60)} is unknown`);
      zones.isAssumed ||= zone === undefined;
      return zone ?? UTC;
    },
  };
  return zones;
}

/** A time that the clock skips is taken as it was before the change, one that comes twice as the first (RFC 5545, 3.3.5). */
function databaseZone(name: string): Zone | undefined {
  const at = (ms: number, zone: string) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  try {
    at(0, name);
  } catch {
    return undefined;
  }
  return {
    instantOf: (wall) => at(wall, "UTC").toPlainDateTime().toZonedDateTime(name).epochMilliseconds,
    wallOf: (instant) => instant + at(instant, name).offsetNanoseconds / 1e6,
  };
}

function definedZone(block: string | undefined): Zone | undefined {
  if (block === undefined) return undefined;
  const zone = new ICAL.Timezone(ICAL.Component.fromString(block));
  const offset = (wall: number) => zone.utcOffset(timeOf(wall)) * 1_000;
  return {
    instantOf: (wall) => wall - offset(wall),
    wallOf: (instant) => instant + offset(instant + offset(instant)),
  };
}

const wallOf = (time: ICAL.Time) => time.toUnixTime() * 1_000;
const timeOf = (wall: number) => ICAL.Time.fromJSDate(new Date(wall), true);
const isUtc = (time: ICAL.Time) => time.zone === ICAL.Timezone.utcTimezone;
const keyOf = (uid: string) => (hasControl(uid) || uid.length > MOST_UID ? sha256Hex(uid) : uid);

type Event = ReturnType<typeof readEvent>;

function readEvent(event: ICAL.Component, zones: Zones) {
  const textOf = (name: string) => String(event.getFirstPropertyValue(name) ?? "");
  const startsOf = (name: string) =>
    event.getAllProperties(name).flatMap((property) =>
      property.getValues().map((value: unknown) => {
        const time = value instanceof ICAL.Period ? value.start : value;
        const wall = time instanceof ICAL.Time ? wallOf(time) : Number.NaN;
        if (!(time instanceof ICAL.Time) || Number.isNaN(wall)) throw new LeftOut("its time cannot be read");
        const named = String(property.getFirstParameter("tzid") ?? "");
        const zone = time.isDate || isUtc(time) ? UTC : zones.of(named);
        return { wall, at: zone.instantOf(wall), isDate: time.isDate, zone };
      }),
    );
  const [start] = startsOf("dtstart");
  if (start === undefined) throw new LeftOut("it has no start");
  const title = shortText(
    textOf("summary")
      .replace(/\p{Cc}+/gu, " ")
      .trim(),
    MOST_TITLE,
  );
  return {
    uid: keyOf(textOf("uid").trim() || sha256Hex(title)),
    isCancelled: /^cancell?ed$/i.test(textOf("status")),
    title: title === "" ? null : title,
    start,
    /** Of a changed occurrence the one that it stands for. */
    instead: startsOf("recurrence-id")[0],
    rules: event.getAllProperties("rrule").map((property) => {
      const rule = property.getFirstValue();
      if (!(rule instanceof ICAL.Recur)) throw new LeftOut("its rule cannot be read");
      const { until } = rule;
      // The end is a wall time as the start is. A day takes in all of it.
      if (until !== null) {
        const wall = wallOf(until);
        const zone = isUtc(until) && start.isDate ? zones.of("") : isUtc(until) ? start.zone : UTC;
        rule.until = timeOf(until.isDate && !start.isDate ? wall + DAY_MS - 1_000 : zone.wallOf(wall));
      }
      return rule;
    }),
    extra: startsOf("rdate"),
    except: startsOf("exdate"),
  };
}

/** The occurrences of what has one id within reach. */
function occurrencesOf(all: readonly Event[], now: number): Occurrence[] {
  const [from, to] = [now - LOOK_BACK_MS, now + LOOK_AHEAD_MS];
  const changed = all.flatMap(({ instead }) => instead ?? []);
  return all.flatMap((event) => {
    if (event.isCancelled) return [];
    const { uid, title, start, instead } = event;
    const except = instead === undefined ? [...event.except, ...changed] : [];
    const moments = new Set(except.map(({ at }) => at));
    // An exception of a timed event may be given as a day.
    const days = new Set(except.filter(({ isDate }) => isDate).map(({ wall }) => wall));
    return (instead === undefined ? wallsOf(event, to + DAY_MS) : [start.wall])
      .filter((wall) => wall >= from - DAY_MS && !days.has(Math.floor(wall / DAY_MS) * DAY_MS))
      .map((wall) => ({ uid, at: start.zone.instantOf(wall), isAllDay: start.isDate, title }))
      .filter(({ at }) => at >= from && at <= to && !moments.has(at));
  });
}

/** When an event starts up to a wall time, by its rules and dates. */
function wallsOf({ start, rules, extra }: Event, until: number): number[] {
  const walls = extra.map(({ at }) => start.zone.wallOf(at));
  if (rules.length === 0) walls.push(start.wall);
  let steps = 0;
  const step = () => {
    if (++steps > MOST_STEPS) throw new LeftOut("it repeats too often");
    return true;
  };
  for (const rule of rules) {
    const times = rule.iterator(timeOf(start.wall));
    // A rule that nothing meets, such as 30 February, is looked for here without end.
    const isMet = times.check_contracting_rules.bind(times);
    times.check_contracting_rules = () => step() && isMet();
    for (let time = times.next(); (time as ICAL.Time | null) && step(); time = times.next()) {
      const wall = wallOf(time);
      if (wall > until) break;
      walls.push(wall);
    }
  }
  return walls;
}
