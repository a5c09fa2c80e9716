import { formatInstant, parseInstant } from "../lib/instant.ts";

/** A moment as the timeline keeps it. */
export interface Moment {
  /** The moment in UTC with nine digits of a second: what tells two moments apart, whatever their offset or spelling. */
  readonly instant: string;
  /** Milliseconds since the epoch; finer digits are cut off, never rounded up, so that a day or a second is not left. */
  readonly ms: number;
}

const FRACTION = /\.(\d+)/;

/** Reads an ISO 8601 timestamp to the last digit; `undefined` when it is none. */
export function readMoment(text: string): Moment | undefined {
  const seconds = parseInstant(text.replace(FRACTION, ""));
  if (seconds === undefined || parseInstant(text) === undefined) return undefined;
  const digits = (FRACTION.exec(text)?.[1] ?? "").padEnd(9, "0");
  const whole = formatInstant(seconds).replace(/\.\d{3}Z$/, "");
  return { instant: `${whole}.${digits}Z`, ms: seconds + Number(digits.slice(0, 3)) };
}
