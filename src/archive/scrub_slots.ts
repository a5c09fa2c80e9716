/** Which objects are read anew in which hour: by their names, so that each has its turn once a week. Pure. */

const HOUR_MS = 3_600_000;
export const HOURS_OF_WEEK = 168;
/** Values of the two bytes that a name begins with. */
const BEGINNINGS = 65_536;
/** Hours that one run makes up beside its own: after a week's rest all is read again within two days. */
const MOST_HOURS = 4;

/** The hour of a moment, counted since the epoch. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The place of an hour in its week. */
export const slotOf = (hour: number): number => ((hour % HOURS_OF_WEEK) + HOURS_OF_WEEK) % HOURS_OF_WEEK;

/** The names of an hour: from one text of hexadecimal digits up to another. */
export function namesOf(hour: number): { readonly from: string; readonly to: string } {
  const slot = slotOf(hour);
  const edge = (of: number) => Math.ceil((of * BEGINNINGS) / HOURS_OF_WEEK);
  return { from: written(edge(slot)), to: written(edge(slot + 1)) };
}

/** Two bytes; one more than the last is said by three, which come after every name. */
const written = (edge: number) =>
  edge === BEGINNINGS ? "ff".repeat(33) : edge.toString(16).padStart(4, "0");

/**
 * The hours that are due: from the one after the last that was read, the oldest first, not more than a few. Those of more than a week
 * ago have had their turn again since. Where the clock was set back, the hour it is.
 */
export function dueHours(last: number | undefined, now: number): number[] {
  const hour = hourOf(now);
  const from = last === undefined || last > hour ? hour : Math.max(last + 1, hour - HOURS_OF_WEEK + 1);
  return Array.from({ length: Math.min(hour - from + 1, MOST_HOURS) }, (_, place) => from + place);
}
