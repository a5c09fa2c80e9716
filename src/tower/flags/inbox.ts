/** The inbox: its address, why it is empty, and what its pages show, read as plain data. */

import { countWords as countOf } from "../../base/text.ts";
import { type ActNoun, versionOf } from "../../flags/acts.ts";
import { type ChainedFlag, FLAG_KINDS, SEVERITIES } from "../../flags/flags.ts";
import {
  countInbox,
  type InboxFilter,
  type InboxStatus,
  listInbox,
  listInboxChoices,
  NOTHING_OPEN,
  openIn,
} from "../../flags/inbox.ts";
import { findLastOfChain, listEarlier } from "../../flags/queries.ts";
import { type FlagHistory, type FlagRecordRow, listActs, readHistory } from "../../flags/store.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import { hasCodebaseReport } from "../../reports/codebase.ts";
import { flagsShown } from "../../reports/nights.ts";
import { findBacklog, hasNightlyReport } from "../../reports/pulse.ts";
import { chanceMarks, countOutcomes } from "../../rules/verdicts.ts";
import { listSites } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { address, type More, named, oneOf, PAGE } from "../kit/address.tsx";
import { pagingOf } from "../kit/list.tsx";
import { flagTally, healthView, siteTallies, unwatched, unwatchedOf } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { backlogWords } from "../site/latest_nightly.tsx";
import { nearOf, readFigure } from "./figure.tsx";

/** Jobs that judge, or bring what is judged. */
const JUDGING_JOBS = ["freshness", "sense", "webmaster-tools", "analysis"];

/** Whether a failure keeps rules from judging, or from judging as they are set. */
export const concernsRules = ({ kind, subject }: MonitoringFailure): boolean =>
  kind === "constants" || keepsFromJudging({ kind, subject });

/** With a broken constants document the rules run all the same, by the last good one. */
const keepsFromJudging = ({ kind, subject }: Pick<MonitoringFailure, "kind" | "subject">): boolean =>
  kind === "rule" || (kind === "job" && JUDGING_JOBS.includes(subject));

/** Reports that wait longer than this were not judged when they should have been, in milliseconds. */
const BEHIND_MS = 5 * 60_000;

/** How a site or the whole portfolio stands when no flag is there. `unwatched`: the failures that concern it. */
export function readWhyEmpty(
  db: Db,
  of: { readonly site: string | undefined; readonly except: string },
  unwatched: readonly MonitoringFailure[],
  now: number,
) {
  const { site, except } = of;
  if (listSites(db).every(({ id }) => id === except)) return { state: "no_sites" } as const;
  const measured = hasCodebaseReport(db, of);
  const reported = hasNightlyReport(db, of);
  const { tested, notTested } = countOutcomes(db, of);
  const isJudged = measured || tested > 0;
  const backlog = findBacklog(db, site);
  const waiting = backlogWords(backlog, now);
  const isBehind = backlog.since !== undefined && now - backlog.since >= BEHIND_MS;
  const told = waiting === undefined ? [] : [`${waiting}.`];
  // Rules should have run and did not. What keeps them stands above the list; the reason says what else.
  if (isBehind || unwatched.some(keepsFromJudging)) return { state: "failing", reason: told[0] } as const;
  // No report has come yet. What providers tell is judged where a site sends nothing, too.
  if (!measured && !reported && tested + notTested === 0) return { state: "waiting" } as const;
  const untested = `${countOf(notTested, "metric")} could not be tested when last judged.`;
  if (isJudged) {
    const rest = [
      ...(notTested === 0
        ? []
        : [`${untested} This is not an all-clear for ${notTested === 1 ? "it" : "them"}.`]),
      ...told,
    ];
    // Rules ran and found nothing; in a sentence what they could not test.
    return { state: "quiet", notTested: rest.length === 0 ? undefined : rest.join(" ") } as const;
  }
  // Reports came, but no rule could run yet.
  const reason = notTested === 0 ? "No metric has a daily count yet." : untested;
  return { state: "not_tested", reason } as const;
}

export const STATUSES: readonly InboxStatus[] = ["open", "snoozed", "resolved"];

const LONGEST_NAME = 600;
const LONGEST_SEARCH = 200;

export const inboxAddress = address({
  status: oneOf(STATUSES, "open"),
  severity: oneOf(SEVERITIES, undefined),
  kind: oneOf(FLAG_KINDS, undefined),
  rule: named(LONGEST_NAME, undefined),
  asset: named(LONGEST_NAME, undefined),
  q: named(LONGEST_SEARCH, undefined),
  page: PAGE,
});

/** The inbox as asked for. Pages count from 1. */
export type InboxQuery = InboxFilter & Pick<typeof inboxAddress.usual, "page">;

/** The filters that show as chips, each with its name in the address. */
export const NARROWINGS = ["q", "severity", "kind", "rule", "asset"] as const;
export type Narrowing = (typeof NARROWINGS)[number];

/** Where a list of flags stands: the inbox, or a site's own tab, whose address already names the site. */
interface ListPlace {
  readonly base: string;
  readonly site: string | null;
}

export const INBOX_PLACE: ListPlace = { base: paths.flags, site: null };

/** The tab of a site. */
export function sitePlace(asset: string): ListPlace {
  return { base: paths.siteFlags(asset), site: asset };
}

/** The address of a list. */
export function listHref(place: ListPlace, query: Partial<InboxQuery>, more?: More): string {
  return `${place.base}${inboxAddress.search(place.site === null ? query : { ...query, asset: undefined }, more)}`;
}

/** The address of a flag, opened beside the list that it was found in. */
export function flagHref(id: string, query: Partial<InboxQuery> = {}, more?: More): string {
  return `${paths.flag(id)}${inboxAddress.search(query, more)}`;
}

/** The form of the list: its ticks and its acts. */
export const BULK_FORM = "flags-bulk";

/** The address of an act on a flag. */
export function actHref(id: string, noun: ActNoun, query: Partial<InboxQuery>, more?: More): string {
  return `${paths[noun](id)}${inboxAddress.search(query, more)}`;
}

/** Where acts on several flags go: to the list of a site, or to the inbox with perhaps a flag opened beside it. */
export function bulkHref(place: ListPlace, query: InboxQuery, open: string | undefined): string {
  const more: More = place.site === null ? (open === undefined ? {} : { open }) : { site: place.site };
  return `${paths.dispositions}${inboxAddress.search(query, more)}`;
}

/** What a list of flags is asked for by. */
export interface Asked {
  readonly request: Request;
  readonly query: InboxQuery;
  readonly now: number;
}

const PAGE_SIZE = 50;
/** Most acts and most runs shown of one flag, the newest. */
const MOST_ENTRIES = 50;
/** Most entries read for them: of a lasting thing most only say that one report followed another. */
const MOST_ACTS = 300;
/** A list of flags. */
export type InboxView = ReturnType<typeof readInbox>;

/** One flag with everything known about it. */
export type OpenedFlag = ReturnType<typeof openedOf>;

/** Gathers a page of a list, and why there is nothing on it. */
export function readInbox(
  { db, config, attention, health }: PageGround,
  place: ListPlace,
  { request, query, now }: Asked,
) {
  const site = place.site ?? undefined;
  const filter = site === undefined ? query : { ...query, asset: site };
  const all = unwatched(request, db);
  const known =
    site === undefined
      ? all
      : [...all.filter(({ asset }) => asset === ""), ...unwatchedOf(request, db, site)];
  const failures = known.filter(concernsRules);
  const paging = pagingOf(countInbox(db, filter, now), query.page, PAGE_SIZE);
  const tally =
    site === undefined
      ? flagTally(request, db, now)
      : { ...(siteTallies(request, db, now).get(site) ?? NOTHING_OPEN), sites: 1 };
  const isNarrowed = NARROWINGS.some((name) => query[name] !== undefined);
  const countOfStatus = (status: InboxStatus): number => {
    if (status === query.status) return paging.total;
    if (isNarrowed || status === "resolved") return countInbox(db, { ...filter, status }, now);
    return status === "open" ? openIn(tally) : tally.snoozed;
  };
  const offset = (paging.page - 1) * PAGE_SIZE;
  const chance = chanceMarks(db);
  const rows = listInbox(db, filter, {
    limit: PAGE_SIZE,
    offset,
    now,
    // The open flags stand in the order of the one ranking.
    ranked:
      query.status === "open"
        ? attention.read(now, healthView(request, health, now)).flatMap(({ flags }) => flags)
        : [],
  });
  return {
    query,
    place,
    rows: rows.map(flagsShown(db)),
    /** How the open flags of the flow test are marked. */
    chance,
    paging,
    tally,
    /** The flags of each status that the filters leave, counted up to a bound: what its link leads to. */
    counts: {
      open: countOfStatus("open"),
      snoozed: countOfStatus("snoozed"),
      resolved: countOfStatus("resolved"),
    },
    choices: listInboxChoices(db),
    /** Why there is nothing, when there is nothing. */
    whyEmpty:
      rows.length === 0 ? readWhyEmpty(db, { site, except: config.serviceAsset }, failures, now) : undefined,
    /** What keeps rules from judging, or from judging as they are set. */
    unwatched: failures,
  };
}

/** Gathers what stands around a flag. */
export function openedOf(deps: PageGround, row: ChainedFlag, now: number) {
  const { db } = deps;
  const began = Date.parse(row.chain.since);
  const before = listEarlier(db, row, MOST_ENTRIES);
  const shown = flagsShown(db);
  const current = row.chain.renewed_by === null ? undefined : findLastOfChain(db, row.chain.first);
  return {
    row: shown(row),
    /** Its rule's inputs as they are stored; in the row their days are moved to where they are shown. */
    inputs: row.rule_inputs,
    version: versionOf(row),
    /** Its own runs; its acts, and those on the flags it renews. */
    history: historyOf(db, row, before),
    /** The flags of the same lasting thing before this one, newest first, at most as many as are shown. */
    earlier: before.map(shown),
    /** The flag that tells the thing now, where this one was renewed. */
    current: current && shown(current),
    near: nearOf(db, row.asset, began),
    figure: readFigure(deps, shown(row), now),
    /** How it is marked among the tests of its day; undefined where it is no test of chance. */
    chance: chanceMarks(db, row.id).get(row.id),
  };
}

/**
 * The runs of a flag, and what happened to its whole thing, without what only says that one report followed another: that stands among
 * the earlier readings.
 */
function historyOf(db: Db, row: ChainedFlag, before: readonly ChainedFlag[]): FlagHistory {
  const own = readHistory(db, row.id, MOST_ENTRIES);
  if (before.length === 0) return own;
  const earlier = new Map(before.map((flag) => [flag.id, flag]));
  const isFollowUp = ({ type, data }: FlagRecordRow): boolean => {
    if (type !== "raised") return type === "renewed" || data["resolution"] === "renewed";
    const set = data["set"] as { readonly renews?: string; readonly acked_by?: string | null } | undefined;
    const renewed = earlier.get(set?.renews ?? "");
    // A worse one that lost its acknowledgement, and one raised after a pause, are told.
    return renewed?.resolution === "renewed" && (set?.acked_by !== null || renewed.acked_by === null);
  };
  const acts = listActs(db, [row.id, ...before.map(({ id }) => id)], MOST_ACTS);
  return { ...own, acts: acts.filter((entry) => !isFollowUp(entry)).slice(0, MOST_ENTRIES) };
}
