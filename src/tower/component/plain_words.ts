/** A value of a record, as it was stored, in words: never as a machine writes it. Pure. */
import { parseInstant } from "../../lib/instant.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import { formatDay, formatMoment } from "../format.ts";

const DEEPEST = 4;

const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 4 });

/** A nested value in words, such as `page /a, count 3`. What lies deeper than a reader would follow is left out, and said to be. */
export function plainWords(value: unknown, now: number, depth = 0): string {
  if (value === null || value === undefined) return "not measured";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number.format(value);
  if (typeof value !== "object") return textWords(String(value), now);
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((item) => plainWords(item, now, depth + 1)).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll("_", " ")} ${plainWords(part, now, depth + 1)}`)
    .join(", ");
}

/** A text; a day or a moment as people write it. */
function textWords(text: string, now: number): string {
  const day = parseUtcDay(text);
  if (day !== undefined) return formatDay(day, now);
  const instant = parseInstant(text);
  return instant === undefined ? text : formatMoment(instant, now);
}
