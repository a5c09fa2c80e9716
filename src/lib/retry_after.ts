/** How long another server asks to be left alone (RFC 9110, 10.2.3). */

/** Longest period that is believed: a server that means longer is asked once a day. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)";
const MONTH = `(?<month>${MONTHS.join("|")})`;
/** The form in use and the two obsolete ones that a recipient still has to read (RFC 9110, 5.6.7). */
const DATES = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * Reads a Retry-After header (whole seconds or an HTTP date) as milliseconds from `now`, at most a day. Undefined where there is none
 * and where it says nothing: what is no such value, no time at all, or a moment that is over.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : (dateOf(value, now) ?? now) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

function dateOf(text: string, now: number): number | undefined {
  for (const form of DATES) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const [day, hour, minute, second] = [parts["day"], parts["hour"], parts["minute"], parts["second"]].map(
      Number,
    );
    const month = MONTHS.indexOf(parts["month"] ?? "");
    const year = fullYear(Number(parts["year"]), now);
    const at = Date.UTC(year, month, day, hour, minute, second);
    return new Date(Date.UTC(year, month, day)).getUTCMonth() === month ? at : undefined;
  }
  return undefined;
}

/** Two digits that seem to lie more than 50 years ahead mean the past. */
function fullYear(year: number, now: number): number {
  if (year > 99) return year;
  const present = new Date(now).getUTCFullYear();
  const near = present - (present % 100) + year;
  return near > present + 50 ? near - 100 : near;
}
