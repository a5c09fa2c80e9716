/** Changes grouped into events, the most urgent first. Pure. */

import { listRecentActs } from "../../access/audit.ts";
import type { Look } from "../../access/visits.ts";
import { dayNumber, parseInstant, parseUtcDay, startOfDay } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import { type FlagNews, listFlagNews } from "../../flags/moments.ts";
import { listFlagsById } from "../../flags/queries.ts";
import type { HealthState } from "../../health/health.ts";
import { type HealthEventView, type HealthView, MOST_EVENTS } from "../../integrations/integrations.ts";
import { chanceMarks, withinChance } from "../../rules/stands_out.ts";
import type { AnnotationKind } from "../../sites/annotation_schema.ts";
import { tallyAnnotations } from "../../sites/annotations.ts";
import { ruleOf, STALE_INGEST } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import type { Param } from "../kit/address.tsx";
import { flagsShown } from "../shown_days.ts";
import {
  type Change,
  type FlagChange,
  type FlagTopic,
  type IntegrationChange,
  type Line,
  type SilenceChange,
  type SiteChange,
  urgencyOf,
} from "./morning_change.ts";

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

/** From which moment on something is new to an operator. Pure. */

/** Who never looked is told of so long. */
const FIRST_MS = DAY_MS;
/** What lies further back is no news: the timeline tells it. */
export const MOST_DAYS = 14;

/** From when on, and why from then. */
export interface Since {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The end of the visit before; nobody looked before; or an address asked for it. */
  readonly by: "visit" | "first" | "address";
  /** It would lie further back than is told. */
  readonly isCut: boolean;
}

/**
 * From when on, for an operator whose looks are these. `before` is where the visit before the one under way ended; `asked` is what an
 * address asked for.
 */
export function sinceOf(before: Look["before"] | undefined, asked: string | null, now: number): Since {
  const given = asked === null ? undefined : momentIn(asked);
  const by = given !== undefined ? "address" : (before ?? null) === null ? "first" : "visit";
  const at = Math.min(given ?? before ?? now - FIRST_MS, now);
  const furthest = now - MOST_DAYS * DAY_MS;
  return { at: Math.max(at, furthest), by, isCut: at < furthest };
}

/** A day, from its midnight in UTC, or an instant. */
function momentIn(text: string): number | undefined {
  const day = parseUtcDay(text);
  return day === undefined ? parseInstant(text) : startOfDay(day);
}

/** `?since=2026-11-20` or an instant. */
export const SINCE: Param<string | null> = {
  usual: null,
  read: (text) => (momentIn(text) === undefined ? undefined : text),
};

/** What changed since a moment, as it is stored: gathered, told apart, and named for the lines that are shown. */

/** Flags that began, and flags that ended, that are looked at: the newest of each. */
const MOST_NEWS = 5_000;
/** Events of integrations that are looked at: the newest. */
const MOST_CHANGES = 5_000;
/** Lines that are shown, and flags of one line that are named. */
const MOST_LINES = 12;
export const MOST_NAMED = 20;

/** The morning view. */
export interface Morning {
  readonly since: Since;
  /** The most urgent lines. */
  readonly lines: readonly Line[];
  /** How many more there are. */
  readonly more: number;
  /** What the flags that are named in the lines say. */
  readonly titles: ReadonlyMap<string, string>;
  /** Sites that an integration fails for now where a whole connection fails, by capability. */
  readonly affected: ReadonlyMap<string, readonly string[]>;
  /** What else happened, counted: context, no cause. */
  readonly annotations: readonly { readonly kind: AnnotationKind; readonly count: number }[];
  /** There may be older changes of integrations, or older flags, than are told. */
  readonly isShort: boolean;
}

/** Reads it. `health` is what a page has read of integrations, and `eventsSince` what it does not tell of them. */
export function readMorning(
  db: Db,
  of: {
    readonly since: Since;
    readonly now: number;
    readonly health: HealthView;
    readonly eventsSince: (since: number, limit: number) => readonly HealthEventView[];
    readonly serviceAsset: string;
  },
): Morning {
  const { since, now, health } = of;
  const isTold = health.events.length < MOST_EVENTS || (health.events.at(-1)?.at ?? 0) <= since.at;
  const events = isTold ? health.events : of.eventsSince(since.at, MOST_CHANGES);
  const gone = disconnectedIn(health);
  const news = listFlagNews(db, since.at, now, MOST_NEWS);
  const behind = new Set(withinChance(chanceMarks(db)));
  const move = flagsShown(db);
  const lines = linesOf([
    ...news.map((one) => newsOf(move(one), of.serviceAsset, since.at, behind)),
    ...integrationChanges(
      events.filter((event) => !gone.has(targetOf(event))),
      failingIn(health),
      since.at,
      now,
    ),
    ...siteChanges(db, since.at, of.serviceAsset),
  ]);
  const shown = lines.slice(0, MOST_LINES);
  const named = shown.flatMap(({ changes }) =>
    changes.slice(0, MOST_NAMED).flatMap((change) => (change.of === "flag" ? [change.id] : [])),
  );
  return {
    since,
    lines: shown,
    more: lines.length - shown.length,
    titles: new Map(listFlagsById(db, named).map((row) => [row.id, titleOf(move(row), now)])),
    affected: new Map(
      health.capabilities.map(({ capability, targets }) => [
        capability,
        targets.flatMap(({ asset, state }) => (asset !== "" && state === "failing" ? [asset] : [])),
      ]),
    ),
    annotations: tallyAnnotations(db, undefined, [since.at, now + 1]).flatMap(({ kind, count, struck }) =>
      count > struck ? [{ kind, count: count - struck }] : [],
    ),
    isShort: events.length >= MOST_CHANGES || news.length >= MOST_NEWS,
  };
}

/** What became of a flag. One about a silent site tells of that site, whichever it stands on. */
function newsOf(
  news: FlagNews,
  serviceAsset: string,
  since: number,
  behind: ReadonlySet<string>,
): FlagChange | SilenceChange {
  const { id, asset, rule, begunAt, endedAt, severity, rule_inputs: observed } = news;
  const turn = endedAt === null ? "begun" : begunAt <= since ? "over" : "passed";
  const at = endedAt ?? begunAt;
  if (rule === STALE_INGEST && asset === serviceAsset) {
    return {
      of: "silence",
      id,
      asset: news.subject,
      turn,
      reports: news.resolution === "reporting_again",
      at,
    };
  }
  const days = observed === null ? null : { from: dayNumber(observed.from), to: dayNumber(observed.to) };
  const isWithinChance = turn === "begun" && behind.has(id);
  return { of: "flag", id, asset, severity, turn, isWithinChance, about: topicOf(rule), days, at };
}

function topicOf(id: string | null): FlagTopic {
  const rule = ruleOf(id);
  if (rule === undefined) return "sent";
  if (rule.lasts !== undefined) return rule.lasts.thing;
  return rule.judges === "flow" || rule.judges === "silence" ? "sent" : rule.judges;
}

type Targeted = Pick<HealthEventView, "capability" | "asset" | "target">;

/** What an event is told of: all archived reports of a property are one. */
const targetOf = ({ capability, asset, target }: Targeted): string =>
  JSON.stringify([capability, asset, target]);

/** What an operator disconnected. That a question which was under way meanwhile failed by it is no outage. */
const disconnectedIn = (health: HealthView): ReadonlySet<string> => targetsIn(health, "disconnected");

/** What fails now. */
const failingIn = (health: HealthView): ReadonlySet<string> => targetsIn(health, "failing");

function targetsIn({ capabilities }: HealthView, state: HealthState): ReadonlySet<string> {
  return new Set(
    capabilities.flatMap(({ capability, targets }) =>
      targets.flatMap((one) => (one.state === state ? [targetOf({ capability, ...one })] : [])),
    ),
  );
}

/** What became of a target, the most urgent first. */
const TURNS = ["begun", "over", "passed"] as const;

/**
 * Of each target what its events since then come to: what failed and recovered meanwhile is over. Of archived reports it is what became of the
 * worst of them; while others of a property fail, that some came is no recovery.
 */
function integrationChanges(
  events: readonly HealthEventView[],
  failing: ReadonlySet<string>,
  since: number,
  now: number,
): IntegrationChange[] {
  const recent = events.filter(({ at }) => at > since && at <= now);
  const targets = Map.groupBy(recent, targetOf);
  return [...targets].flatMap(([target, all]): IntegrationChange[] => {
    const changes = [...Map.groupBy(all, ({ family }) => family).values()].flatMap((of) =>
      changeOf(target, of),
    );
    const [worst] = changes.toSorted(
      (one, other) => TURNS.indexOf(one.turn) - TURNS.indexOf(other.turn) || other.at - one.at,
    );
    if (worst === undefined) return [];
    const isOfReports = all.some(({ family }) => family !== "");
    return isOfReports && worst.turn !== "begun" && failing.has(target) ? [] : [worst];
  });
}

function changeOf(target: string, events: readonly HealthEventView[]): IntegrationChange[] {
  const told = events.toSorted((one, other) => one.at - other.at);
  const [first, last] = [told[0], told.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { capability, label, asset, category, change } = last;
  const turn = change !== "recovery" ? "begun" : first.change === "first_failure" ? "passed" : "over";
  return [{ of: "integration", capability, label, asset, target, turn, category, at: last.at }];
}

/**
 * Sites of the portfolio that were added, taken out or became something else: of each what it came to last. One that is new is new,
 * whatever was set of it since.
 */
function siteChanges(db: Db, since: number, serviceAsset: string): Change[] {
  const told = new Map<string, SiteChange>();
  for (const { act, target, detail, at } of listRecentActs(db, {
    prefix: "asset.",
    from: since,
  }).toReversed()) {
    const became = becameOf(act, detail);
    const isNew = told.get(target)?.became === "added";
    if (became === undefined || target === serviceAsset || (isNew && became !== "removed")) continue;
    told.set(target, { of: "site", asset: target, became, at });
  }
  return [...told.values()];
}

function becameOf(act: string, detail: string): SiteChange["became"] | undefined {
  if (act === "asset.add") return "added";
  if (act === "asset.remove") return "removed";
  const { lifecycle } = JSON.parse(detail) as { readonly lifecycle?: unknown };
  return (["live", "pre-launch", "retired"] as const).find((one) => one === lifecycle);
}
