import type { Db } from "../../db/mod.ts";
import { sumTallies } from "../../flow/mod.ts";
import { addDays, utcDayOf } from "../../lib/utc_day.ts";
import { countOf, formatDecimal } from "../format.ts";

/** Days the heading of the flags looks back on. */
const CHANCE_DAYS = 30;

/** How many flags chance alone would raise, as a sentence; undefined while no test has run. */
export function chanceWords(db: Db, now: number): string | undefined {
  const { tests, raised, expected } = sumTallies(db, addDays(utcDayOf(now), 1 - CHANCE_DAYS));
  if (tests === 0) return undefined;
  return `Flow rules, ${CHANCE_DAYS} days: ${countOf(tests, "test")}, ${countOf(raised, "flag")}, about ${formatDecimal(expected)} expected by chance.`;
}
