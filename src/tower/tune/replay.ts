/**
 * Thresholds in effect and proposed ones over what is stored: one shape for the days of a metric and the codebase reports of a
 * site. Pure.
 */

import type { UtcDay } from "../../lib/utc_day.ts";
import { formatCount } from "../format.ts";

/** Something for the thresholds in effect, and for the proposed ones; undefined where nothing is proposed. */
export interface Sides<T> {
  readonly inEffect: T;
  readonly proposed: T | undefined;
}

/** Figures over the whole span, and the days that raised something. */
export interface History {
  readonly heading: string;
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly note: string;
  /** What the figures are of, and their headings; the last is of the proposal where there is one. */
  readonly columns: readonly [head: string, ...figures: string[]];
  readonly figures: readonly (readonly [head: string, ...figures: string[]])[];
  /** The class of what the figures are of. */
  readonly headClass?: string;
  readonly remark?: string;
  readonly lists: readonly RaisedList[];
  readonly hasProposal: boolean;
}

/** Days that raised something under either set of thresholds, newest first. */
export interface RaisedList {
  readonly heading: string;
  readonly note: string;
  /** What a day is called: the day itself, or its report. */
  readonly day: string;
  readonly days: readonly RaisedDay[];
  /** What stands where nothing was raised. */
  readonly nothing: string;
}

/** What a day raised, in words; undefined where nothing. */
export interface RaisedDay extends Readonly<Record<keyof Sides<unknown>, string | undefined>> {
  readonly day: UtcDay;
  /** The words of the flag, where they do not stand at the sides. */
  readonly said?: string;
}

/** What came of trying: nothing where nothing is stored. */
export interface Trial {
  readonly history: History | undefined;
  readonly sentences: readonly string[];
}

export const NOTHING_STORED: Trial = { history: undefined, sentences: [] };

/** The same of each side there is. */
export function eachSide<T, To>({ inEffect, proposed }: Sides<T>, of: (side: T) => To): Sides<To> {
  return { inEffect: of(inEffect), proposed: proposed === undefined ? undefined : of(proposed) };
}

/** The days that either side raised, newest first. */
export function raisedDays(
  inEffect: ReadonlyMap<UtcDay, string>,
  proposed: ReadonlyMap<UtcDay, string>,
): readonly RaisedDay[] {
  return [...new Set([...inEffect.keys(), ...proposed.keys()])]
    .sort((a, b) => (a < b ? 1 : -1))
    .map((day) => ({ day, inEffect: inEffect.get(day), proposed: proposed.get(day) }));
}

/** ", as now" or " instead of 9": how a proposal's count stands to the one in effect. */
export function againstNow(proposed: number, inEffect: number): string {
  return proposed === inEffect ? ", as now" : ` instead of ${formatCount(inEffect)}`;
}
