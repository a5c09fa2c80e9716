/**
 * Whether a flow flag stands out among all tests of its day, or lies within what so many tests give by chance. A mark for pages alone,
 * worked out on reading: every flag is raised and listed either way.
 */

import { addDays, startOfDay, type UtcDay, utcDayOf } from "../base/time.ts";
import type { RuleInputs } from "../flags/flags.ts";
import { type FlowFlag, listFlowFlags, listFlowFlagsRaised } from "../flags/queries.ts";
import { ruleOf } from "../sites/rule_catalogue.ts";
import type { Db } from "../store/store.ts";
import { countTestedSeries } from "./verdicts.ts";

/** Of the flags that stand out, the share that chance may have given. */
const FALSE_SHARE = 0.1;

/** How a flag is marked. */
export interface ChanceMark {
  /** Why it stands out; null where it lies within what chance gives. */
  readonly standsOut: "error" | "count_of_0" | "second_day" | "improbable" | null;
  /** The UTC day whose tests it is held against, and how many series were tested on it. */
  readonly day: UtcDay;
  readonly tests: number;
}

/**
 * The greatest probability that stands out among a number of tests, by Benjamini and Hochberg: the k-th smallest that is at most
 * k · 0.1 / tests, for the largest such k; -1 where none is. Only flags have a place in the order. The other tests have a
 * probability of alpha or more, so they could move the bound only where a tenth of all series is flagged, and then only up.
 */
export function greatestStandingOut(chances: readonly number[], tests: number): number {
  const ordered = chances.toSorted((one, other) => one - other);
  const all = Math.max(tests, ordered.length);
  const last = ordered.findLastIndex((chance, place) => chance * all <= (place + 1) * FALSE_SHARE);
  return ordered[last] ?? -1;
}

/** The probability that a flag rests on: the second condition's where that was worked out, else the specification's test's. */
export function finalChance(inputs: RuleInputs): number | undefined {
  const { direction, poisson, second } = inputs as {
    readonly direction?: unknown;
    readonly poisson?: unknown;
    readonly second?: { readonly state?: unknown; readonly mid_p?: unknown };
  };
  const tails = (second?.state === "judged" ? second.mid_p : poisson) as
    | Readonly<Record<string, unknown>>
    | undefined;
  const chance = tails?.[direction === "drop" ? "at_most" : "at_least"];
  return typeof chance === "number" ? chance : undefined;
}

/**
 * The marks of the open flags of the flow test, or of one flag; one that is no test of chance, or does not say its probability, has none.
 * `isEarly`: a day that is not over is taken to test as many series as the day before, since its first flags are read before its other tests.
 */
export function chanceMarks(db: Db, id?: string, isEarly = false): ReadonlyMap<string, ChanceMark> {
  const days = new Map<UtcDay, { readonly tests: number; readonly bound: number }>();
  const boundOf = (day: UtcDay) => {
    const known = days.get(day);
    if (known !== undefined) return known;
    const tests = Math.max(countTestedSeries(db, day), isEarly ? countTestedSeries(db, addDays(day, -1)) : 0);
    const flags = listFlowFlagsRaised(db, startOfDay(day), startOfDay(addDays(day, 1)));
    const worked = { tests, bound: greatestStandingOut(flags.flatMap(chanceOf), tests) };
    days.set(day, worked);
    return worked;
  };
  return new Map(
    listFlowFlags(db, id).flatMap((flag) =>
      chanceOf(flag).map((chance) => {
        const day = utcDayOf(flag.raisedAt);
        const { tests, bound } = boundOf(day);
        return [flag.id, { standsOut: reasonOf(flag, chance <= bound), day, tests }] as const;
      }),
    ),
  );
}

/** The flags among them that lie within what chance gives. */
export function withinChance(marks: ReadonlyMap<string, ChanceMark>): readonly string[] {
  return [...marks].flatMap(([id, { standsOut }]) => (standsOut === null ? [id] : []));
}

function chanceOf({ rule, inputs }: FlowFlag): number[] {
  const chance = ruleOf(rule)?.isTestOfChance === true ? finalChance(inputs) : undefined;
  return chance === undefined ? [] : [chance];
}

function reasonOf(
  { severity, inputs, isSecondDay }: FlowFlag,
  isImprobable: boolean,
): ChanceMark["standsOut"] {
  if (severity === "error") return "error";
  if ((inputs["observed"] as { readonly count?: unknown } | undefined)?.count === 0) return "count_of_0";
  if (isSecondDay) return "second_day";
  return isImprobable ? "improbable" : null;
}
