/** How much one read tells (spec, Limits). What is left out is counted, and what needs somebody is left out last. Pure. */
import { familyOf } from "../health/mod.ts";
import type { Stood } from "./project.ts";
import { byUrgency } from "./site_health.ts";

/** Operations of a provider that are no archive reports. */
export const MOST_OPERATIONS = 2_048;
/** Archive outcomes of a property. */
export const MOST_OUTCOMES = 256;

/** What is told, and how much is not. */
export interface Capped {
  readonly targets: readonly Stood[];
  readonly more: number;
}

/** The operations of each provider within their bound, the most urgent first to stay; in the order in which they came. */
export function cappedOperations(targets: readonly Stood[]): Capped {
  const byProvider = Map.groupBy(targets, ({ setUp }) => setUp.capability.provider);
  const over = [...byProvider.values()].filter(({ length }) => length > MOST_OPERATIONS);
  if (over.length === 0) return { targets, more: 0 };
  const out = new Set(over.flatMap((all) => all.toSorted(mostUrgent).slice(MOST_OPERATIONS)));
  return { targets: targets.filter((target) => !out.has(target)), more: out.size };
}

const mostUrgent = (a: Stood, b: Stood): number => byUrgency(a.view.state, b.view.state);

/** The archive outcomes of each property within their bound: failures that last, then the latest reports. */
export function cappedOutcomes(outcomes: readonly Stood[]): Capped {
  const kept = [...byProperty(outcomes).values()].flatMap((all) =>
    all.toSorted((a, b) => unresolvedFirst(a, b) || latestFirst(a, b)).slice(0, MOST_OUTCOMES),
  );
  return { targets: kept, more: outcomes.length - kept.length };
}

/** One target for the archive outcomes of each property: as the worst of them stands. */
export function summedOutcomes(outcomes: readonly Stood[]): Capped {
  const kept = [...byProperty(outcomes).values()].flatMap((all) => {
    const [worst] = all.toSorted((a, b) => mostUrgent(a, b) || latestFirst(a, b));
    if (worst === undefined) return [];
    const observedAt = Math.max(...all.map((one) => one.observedAt));
    return [{ ...worst, observedAt, view: { ...worst.view, family: "" } }];
  });
  return { targets: kept, more: outcomes.length - kept.length };
}

function byProperty(outcomes: readonly Stood[]): Map<string, Stood[]> {
  return Map.groupBy(outcomes, ({ setUp: { capability, asset, connectionRevision, target } }) =>
    [capability.id, asset, connectionRevision, target].join("\n"),
  );
}

const unresolvedFirst = (a: Stood, b: Stood): number =>
  Number(b.view.state === "failing") - Number(a.view.state === "failing");

/** By the date of the report, then by its name, so that the order is always the same. */
function latestFirst(a: Stood, b: Stood): number {
  const [one, other] = [a.setUp.family, b.setUp.family];
  const [dateOfOne, dateOfOther] = [familyOf(one)?.date ?? "", familyOf(other)?.date ?? ""];
  if (dateOfOne !== dateOfOther) return dateOfOne < dateOfOther ? 1 : -1;
  return one < other ? -1 : one > other ? 1 : 0;
}
