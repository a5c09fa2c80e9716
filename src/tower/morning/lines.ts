/** Changes grouped into events, the most urgent first. Pure. */
import { type Change, type FlagChange, type Line, urgencyOf } from "./change.ts";

const DAY_MS = 86_400_000;

/**
 * One line for each event; every change stands in exactly one. Flags of one site that went the same way in days that overlap are one
 * event, as an outage is that moves four figures; so are the sites that fell silent on one day, all sites for which one integration
 * fails of one cause, and all that fails of one cause for one site. The same changes in another order make the same lines.
 */
export function linesOf(changes: readonly Change[]): Line[] {
  const sorted = [...changes].sort(oldestFirst);
  const groups = Map.groupBy(sorted, eventAmong(sorted));
  const lines = [...groups].flatMap(([key, group]) =>
    inStretches(group).map((stretch) => lineOf(key, stretch)),
  );
  return lines.sort(
    (one, other) =>
      urgencyOfLine(one) - urgencyOfLine(other) ||
      other.changes.length - one.changes.length ||
      other.to - one.to ||
      (one.key < other.key ? -1 : one.key > other.key ? 1 : 0),
  );
}

/**
 * What is told of one site alone stands by its site: that all it has of a provider fails is one event, as it is one event that something
 * fails for many sites.
 */
function eventAmong(changes: readonly Change[]): (change: Change) => string {
  const concerned = new Map<string, Set<string>>();
  for (const change of changes) {
    if (change.of !== "integration") continue;
    const event = eventOf(change);
    concerned.set(event, (concerned.get(event) ?? new Set()).add(change.asset));
  }
  return (change) => {
    const event = eventOf(change);
    if (change.of !== "integration" || concerned.get(event)?.size !== 1) return event;
    return key("integrations", change.asset, change.turn, change.category);
  };
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

function lineOf(event: string, changes: readonly Change[]): Line {
  const [first] = changes;
  const sites = new Set(changes.flatMap(({ asset }) => (asset === "" ? [] : [asset])));
  return {
    key: first === undefined ? event : key(event, nameOf(first)),
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
