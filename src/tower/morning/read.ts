/** What changed since a moment, as it is stored: gathered, told apart, and named for the lines that are shown. */
import { type AnnotationKind, tallyAnnotations } from "../../annotations/mod.ts";
import { listRecentActs } from "../../audit/mod.ts";
import type { Db } from "../../db/mod.ts";
import { type FlagNews, listFlagNews, listFlagsById, titleOf } from "../../flags/mod.ts";
import { chanceMarks, withinChance } from "../../flow/mod.ts";
import type { HealthState } from "../../health/contract.ts";
import { type HealthEventView, type HealthView, MOST_EVENTS } from "../../integrations/mod.ts";
import { dayNumber } from "../../lib/day_number.ts";
import { ruleOf, STALE_INGEST } from "../../rules/mod.ts";
import { flagsShown } from "../shown_days.ts";
import type {
  Change,
  FlagChange,
  FlagTopic,
  IntegrationChange,
  Line,
  SilenceChange,
  SiteChange,
} from "./change.ts";
import { linesOf } from "./lines.ts";
import type { Since } from "./since.ts";

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
