/** Nights of a site: on which UTC days a nightly report stands, and which nights went by without one. Pure. */
import { addDays, type UtcDay, utcDayOf } from "../lib/utc_day.ts";

/** `outside` is a night on which no report was expected: before the first one, or of a site that is not live. */
export type NightState = "received" | "missed" | "outside";

export interface Night {
  readonly day: UtcDay;
  readonly state: NightState;
}

/** What is known of a site's nights. */
export interface NightsInput {
  /** Days with a report; days outside the strip are not read. */
  readonly received: ReadonlySet<UtcDay>;
  /** The first day with a report; undefined while there is none. */
  readonly first: UtcDay | undefined;
  /** Whether a missing report is a missed one: only a live site is expected to report. */
  readonly live: boolean;
}

/** The newest night that can be judged: today once its report is there, else the last day that is over. */
export function lastNight(received: ReadonlySet<UtcDay>, now: number): UtcDay {
  const today = utcDayOf(now);
  return received.has(today) ? today : addDays(today, -1);
}

/** The days that a strip of `count` nights may need: today and the `count` days before it, oldest first. */
export function recentDays(now: number, count: number): UtcDay[] {
  const today = utcDayOf(now);
  return Array.from({ length: count + 1 }, (_, place) => addDays(today, place - count));
}

/** The nights up to the newest that can be judged, oldest first: one fewer than the recent days. */
export function nightStrip(input: NightsInput, recent: readonly UtcDay[]): Night[] {
  const today = recent.at(-1);
  const days = today !== undefined && input.received.has(today) ? recent.slice(1) : recent.slice(0, -1);
  return days.map((day) => ({ day, state: stateOf(input, day) }));
}

function stateOf({ received, first, live }: NightsInput, day: UtcDay): NightState {
  if (received.has(day)) return "received";
  return live && first !== undefined && day > first ? "missed" : "outside";
}

/** How many of the newest `count` nights were missed, of those on which a report was expected. */
export function missedNights(
  nights: readonly Night[],
  count: number,
): { readonly missed: number; readonly of: number } {
  const expected = nights.slice(-count).filter(({ state }) => state !== "outside");
  return { missed: expected.filter(({ state }) => state === "missed").length, of: expected.length };
}
