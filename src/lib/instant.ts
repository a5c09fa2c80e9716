/**
 * Strict reading of ISO 8601 timestamps (RFC 3339 profile): date, `T`, time with seconds and an offset.
 *
 * `Date.parse` rolls over impossible dates (30 February becomes 2 March) and takes many loose forms, so the
 * shape is checked first and the calendar fields are checked by a round trip.
 */
const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The shape, for the API's description; which of these texts are moments, the calendar says. */
export const INSTANT_PATTERN = SHAPE.source;

/** An offset can carry a moment out of the years 0000 to 9999, where its UTC day has no four-digit year any more. */
const EARLIEST = Date.parse("0000-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns the instant in milliseconds since the Unix epoch, or `undefined` when the text is no timestamp. */
export function parseInstant(text: string): number | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  const y = Number(year);
  const mo = Number(month);
  const d = Number(day);
  const h = Number(hour);
  const mi = Number(minute);
  const s = Number(second);
  const utc = new Date(0);
  utc.setUTCFullYear(y, mo - 1, d);
  if (utc.getUTCFullYear() !== y || utc.getUTCMonth() !== mo - 1 || utc.getUTCDate() !== d) return undefined;
  // Cut, not rounded: 23:59:59.9999 still belongs to its own day.
  const ms = Number((fraction ?? "").padEnd(3, "0").slice(0, 3));
  let offset = 0;
  if (sign !== undefined) {
    const oh = Number(offsetHour);
    const om = Number(offsetMinute);
    offset = (oh * 60 + om) * 60_000 * (sign === "-" ? -1 : 1);
  }
  const instant = utc.getTime() + ((h * 60 + mi) * 60 + s) * 1000 + ms - offset;
  return instant < EARLIEST || instant > LATEST ? undefined : instant;
}

/** Formats an instant (milliseconds since the epoch) as ISO 8601 in UTC with milliseconds. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether a number, as it was read from somewhere, is an instant that can be written. */
export function isMoment(ms: unknown): ms is number {
  return Number.isInteger(ms) && (ms as number) >= EARLIEST && (ms as number) <= LATEST;
}
