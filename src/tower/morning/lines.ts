/** Changes grouped into events, the most urgent first. Pure. */
import { type Change, type FlagChange, type Line, urgencyOf } from "./change.ts";

const DAY_MS = 86_400_000;

/**
 * One line for each event; every change stands in exactly one. Flags of one site that went the same way in days that overlap are one
 * event, as an outage is that moves four figures; so are the sites that fell silent on one day, all sites for which one integration
 * fails of one cause, and all that fails of one cause for nearly the same sites. The same changes in another order make the same lines.
 */
export function linesOf(changes: readonly Change[]): Line[] {
  const sorted = [...changes].sort(oldestFirst);
  const groups = Map.groupBy(sorted, eventAmong(sorted));
  const lines = [...groups.values()].flatMap((group) => inStretches(group).map(lineOf));
  return lines.sort(
    (one, other) =>
      urgencyOfLine(one) - urgencyOfLine(other) ||
      other.changes.length - one.changes.length ||
      other.to - one.to ||
      (one.key < other.key ? -1 : one.key > other.key ? 1 : 0),
  );
}

/**
 * That all a site has of a provider fails is one event, as it is one event that something fails for many sites: integrations that do the
 * same of one cause for the same sites, or nearly, go together. A whole account goes with the sites that it holds.
 */
function eventAmong(changes: readonly Change[]): (change: Change) => string {
  const events = new Map<string, { readonly cause: string; readonly sites: Set<string> }>();
  for (const change of changes) {
    if (change.of !== "integration") continue;
    const cause = key("integrations", change.turn, change.category);
    const event = events.get(eventOf(change)) ?? { cause, sites: new Set() };
    if (change.asset !== "") event.sites.add(change.asset);
    events.set(eventOf(change), event);
  }
  const joined = new Map<string, string>();
  const largest = [...events].sort(
    ([one, { sites: a }], [other, { sites: b }]) => b.size - a.size || (one < other ? -1 : 1),
  );
  for (const [name, { cause, sites }] of largest) {
    const found = largest.find(
      ([other, of]) => joined.get(other) === other && of.cause === cause && areNearly(sites, of.sites),
    );
    joined.set(name, found?.[0] ?? name);
  }
  return (change) => joined.get(eventOf(change)) ?? eventOf(change);
}

/** Whether more than half of all that stand in either stand in both. */
function areNearly(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size + other.size === 0 || 2 * one.intersection(other).size > one.union(other).size;
}

/** What a change is an event of, but for when. What is over needs no detail of which way it went. */
function eventOf(change: Change): string {
  switch (change.of) {
    case "flag":
      return key("flag", change.asset, change.turn, change.turn === "over" ? "" : change.about);
    case "silence":
      return key("silence", change.turn, String(change.reports), String(Math.floor(change.at / DAY_MS)));
    case "integration":
      return key("integration", change.capability, change.turn, change.category);
    case "site":
      return key("site", change.became);
  }
}

const key = (...parts: readonly string[]): string => JSON.stringify(parts);

/** Flags whose judged days overlap go together, by whatever others they do; what is no begun flag stays whole. */
function inStretches(group: readonly Change[]): (readonly Change[])[] {
  const flags = group.filter(
    (change): change is FlagChange => change.of === "flag" && change.turn !== "over",
  );
  if (flags.length !== group.length) return [group];
  const stretches: { to: number; readonly changes: FlagChange[] }[] = [];
  for (const flag of flags.toSorted((one, other) => daysOf(one).from - daysOf(other).from)) {
    const { from, to } = daysOf(flag);
    const last = stretches.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
      last.changes.push(flag);
    } else stretches.push({ to, changes: [flag] });
  }
  return stretches.map(({ changes }) => changes.sort(oldestFirst));
}

/** The days that a flag judged; the day it was raised on where it judged none. */
function daysOf({ days, at }: FlagChange): { readonly from: number; readonly to: number } {
  const day = Math.floor(at / DAY_MS);
  return days ?? { from: day, to: day };
}

function lineOf(changes: readonly Change[]): Line {
  const [first] = changes;
  const sites = new Set(changes.flatMap(({ asset }) => (asset === "" ? [] : [asset])));
  return {
    // By the first of it: a site that joins is no other event.
    key: first === undefined ? "" : key(eventOf(first), nameOf(first)),
    changes: changes.toReversed(),
    sites: [...sites].sort(),
    from: first?.at ?? 0,
    to: changes.at(-1)?.at ?? 0,
  };
}

function urgencyOfLine({ changes }: Line): number {
  return Math.min(...changes.map(urgencyOf));
}

function oldestFirst(one: Change, other: Change): number {
  return one.at - other.at || (nameOf(one) < nameOf(other) ? -1 : 1);
}

/** What tells a change apart from every other. */
function nameOf(change: Change): string {
  switch (change.of) {
    case "flag":
    case "silence":
      return change.id;
    case "integration":
      return key(change.capability, change.asset, change.target);
    case "site":
      return key(change.asset, change.became);
  }
}
