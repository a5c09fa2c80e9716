/** Days and hours of a time zone, those of 23 and 25 hours too. Days are day numbers: whole days since 1970-01-01 in that calendar. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A stretch of time, in milliseconds since the epoch; `to` is not part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, Map<number, number>>();
const starts = new Map<string, Map<number, number>>();

/** Offsets change at whole quarters of an hour. */
const QUARTER_MS = HOUR_MS / 4;
/** What a map may hold before it is begun anew, in entries. */
const MOST_KEPT = 50_000;

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  const quarter = Math.floor(at / QUARTER_MS);
  return kept(offsets, zone, quarter, () => {
    const ms = quarter * QUARTER_MS;
    const parts = formatOf(zone).formatToParts(ms);
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
    return (
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) -
      ms
    );
  });
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

function kept(maps: Map<string, Map<number, number>>, zone: string, key: number, make: () => number): number {
  let map = maps.get(zone);
  if (map === undefined || map.size > MOST_KEPT) {
    map = new Map();
    maps.set(zone, map);
  }
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** The day that an instant belongs to. */
export function dayIn(zone: string, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / DAY_MS);
}

/** The hour of the day, 0 to 23, that an instant belongs to. */
export function hourIn(zone: string, at: number): number {
  const local = at + offsetAt(zone, at);
  return Math.floor((local - Math.floor(local / DAY_MS) * DAY_MS) / HOUR_MS);
}

/** The first instant of a day. */
export function startOfDayIn(zone: string, day: number): number {
  return kept(starts, zone, day, () => {
    const midnight = day * DAY_MS;
    let at = midnight - offsetAt(zone, midnight - offsetAt(zone, midnight));
    // Where clocks change at midnight, the first guess can lie an hour beside.
    while (dayIn(zone, at) >= day) at -= QUARTER_MS;
    while (dayIn(zone, at) < day) at += QUARTER_MS;
    return at;
  });
}

/** A time zone, and from when on it holds. */
export interface ZoneSince {
  readonly zone: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The calendar of a property whose time zone may be changed. What happened before a change stays in the days of the zone before it, so
 * that the days about a change are short or long.
 */
export class Calendar {
  readonly #zones: readonly ZoneSince[];

  /** The first zone holds since ever; the changes are in order. */
  constructor(zone: string, changes: readonly ZoneSince[] = []) {
    this.#zones = [{ zone, since: Number.NEGATIVE_INFINITY }, ...changes];
  }

  zoneAt(at: number): string {
    return this.#zones.findLast(({ since }) => since <= at)?.zone ?? "UTC";
  }

  dayAt(at: number): number {
    return dayIn(this.zoneAt(at), at);
  }

  /** What of time belongs to a day; nothing where a change left the day out. */
  spansOf(day: number): readonly Span[] {
    return this.#zones.flatMap(({ zone, since }, place) => {
      const until = this.#zones[place + 1]?.since ?? Number.POSITIVE_INFINITY;
      const from = Math.max(since, startOfDayIn(zone, day));
      const to = Math.min(until, startOfDayIn(zone, day + 1));
      return from < to ? [{ from, to }] : [];
    });
  }
}
