/** Archived reports in words: which one an outcome is of, and how all of a property stand. Pure. */
import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import { familyOf } from "../../health/mod.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import { STATE_WORDS } from "../component/state.tsx";
import { formatCount, formatDay } from "../format.ts";
import { FAMILY_WORDS } from "../insights/family_words.ts";

/** A report of a date: what it is called, and its day. */
export interface NamedReport {
  readonly title: string;
  readonly day: string;
}

/** Which report the key of a family names; undefined where it names none. */
export function namedReport(key: string, now: number): NamedReport | undefined {
  const family = familyOf(key);
  const day = family && parseUtcDay(family.date);
  if (family === undefined || day === undefined) return undefined;
  return { title: FAMILY_WORDS[family.report]?.title ?? family.report, day: formatDay(day, now) };
}

/** The most urgent first; what owes nothing comes last. */
const ORDER: readonly HealthState[] = [...HEALTH_STATES.filter((state) => state !== "idle"), "idle"];

/** How many outcomes stand how: "1 Failing, 40 Working, 369 Idle". */
export function countsWords(counts: Readonly<Record<HealthState, number>>): string {
  return ORDER.flatMap((state) =>
    counts[state] === 0 ? [] : [`${formatCount(counts[state])} ${STATE_WORDS[state]}`],
  ).join(", ");
}
