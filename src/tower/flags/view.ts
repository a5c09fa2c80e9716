/** What the flag pages show, gathered: plain data, no HTML. */
import { listBetween, type StoredAnnotation } from "../../annotations/mod.ts";
import type { Db } from "../../db/mod.ts";
import {
  type ChainedFlag,
  countInbox,
  type FlagHistory,
  type FlagRecordRow,
  type FlagRow,
  findLastOfChain,
  type InboxStatus,
  type InboxTally,
  listActs,
  listEarlier,
  listInbox,
  listInboxChoices,
  openIn,
  readHistory,
  versionOf,
} from "../../flags/mod.ts";
import { type ChanceMark, chanceMarks, withinChance } from "../../flow/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { type Paging, pagingOf } from "../component/pager.tsx";
import { flagsShown } from "../shown_days.ts";
import { type FigureDays, readFigureDays } from "./figure_days.ts";
import { type InboxQuery, type ListPlace, NARROWINGS } from "./query.ts";
import type { WhyEmpty } from "./why_empty.ts";

const PAGE_SIZE = 50;
/** Most acts and most runs shown of one flag, the newest. */
const MOST_ENTRIES = 50;
/** Most entries read for them: of a lasting thing most only say that one report followed another. */
const MOST_ACTS = 300;
const DAY_MS = 86_400_000;
/** Annotations are shown from so long before a flag was raised to so long after. */
const NEAR_BEFORE_MS = 7 * DAY_MS;
const NEAR_AFTER_MS = DAY_MS;
/** Most annotations named near a flag. */
const MOST_NEAR = 50;

/** An annotation near a flag in time. */
export type NearAnnotation = Pick<StoredAnnotation, "atMs" | "kind" | "ref" | "note">;

/** A list of flags. */
export interface InboxView {
  readonly query: InboxQuery;
  readonly place: ListPlace;
  readonly rows: readonly ChainedFlag[];
  /** How the open flags of the flow test are marked. */
  readonly chance: ReadonlyMap<string, ChanceMark>;
  readonly paging: Paging;
  readonly tally: InboxTally;
  /** The flags of each status that the filters leave, counted up to a bound: what its link leads to. */
  readonly counts: Readonly<Record<InboxStatus, number>>;
  readonly choices: ReturnType<typeof listInboxChoices>;
  /** Why there is nothing, when there is nothing. */
  readonly whyEmpty: WhyEmpty | undefined;
  /** What keeps rules from judging, or from judging as they are set. */
  readonly unwatched: readonly MonitoringFailure[];
}

/** One flag with everything known about it. */
export interface OpenedFlag {
  readonly row: ChainedFlag;
  /** Its rule's inputs as they are stored; in the row their days are moved to where they are shown. */
  readonly inputs: FlagRow["rule_inputs"];
  readonly version: string;
  /** Its own runs; its acts, and those on the flags it renews. */
  readonly history: FlagHistory;
  /** The flags of the same lasting thing before this one, newest first, at most as many as are shown. */
  readonly earlier: readonly FlagRow[];
  /** The flag that tells the thing now, where this one was renewed. */
  readonly current: ChainedFlag | undefined;
  readonly near: readonly NearAnnotation[];
  /** The days of a provider's figure around what was judged of it. */
  readonly figure: FigureDays | undefined;
  /** How it is marked among the tests of its day; undefined where it is no test of chance. */
  readonly chance: ChanceMark | undefined;
}

/** Gathers a page of a list. */
export function readInbox(
  db: Db,
  place: ListPlace,
  query: InboxQuery,
  now: number,
  read: {
    /** Why there is nothing, asked only when there is nothing. */
    readonly whyEmpty: (site: string | undefined) => WhyEmpty;
    readonly tally: (site: string | undefined) => InboxTally;
    readonly unwatched: readonly MonitoringFailure[];
  },
): InboxView {
  const site = place.site ?? undefined;
  const filter = site === undefined ? query : { ...query, asset: site };
  const paging = pagingOf(countInbox(db, filter, now), query.page, PAGE_SIZE);
  const tally = read.tally(site);
  const isNarrowed = NARROWINGS.some((name) => query[name] !== undefined);
  const countOfStatus = (status: InboxStatus): number => {
    if (status === query.status) return paging.total;
    if (isNarrowed || status === "resolved") return countInbox(db, { ...filter, status }, now);
    return status === "open" ? openIn(tally) : tally.snoozed;
  };
  const offset = (paging.page - 1) * PAGE_SIZE;
  const chance = chanceMarks(db);
  const behind = withinChance(chance);
  const rows = listInbox(db, filter, { sort: query.sort, limit: PAGE_SIZE, offset, now, behind });
  return {
    query,
    place,
    rows: rows.map(flagsShown(db)),
    chance,
    paging,
    tally,
    counts: {
      open: countOfStatus("open"),
      snoozed: countOfStatus("snoozed"),
      resolved: countOfStatus("resolved"),
    },
    choices: listInboxChoices(db),
    whyEmpty: rows.length === 0 ? read.whyEmpty(site) : undefined,
    unwatched: read.unwatched,
  };
}

/** Gathers what stands around a flag. */
export function openedOf(db: Db, row: ChainedFlag, now: number): OpenedFlag {
  const began = parseInstant(row.chain.since) ?? 0;
  const before = listEarlier(db, row, MOST_ENTRIES);
  const shown = flagsShown(db);
  const current = row.chain.renewed_by === null ? undefined : findLastOfChain(db, row.chain.first);
  return {
    row: shown(row),
    inputs: row.rule_inputs,
    version: versionOf(row),
    history: historyOf(db, row, before),
    earlier: before.filter(({ chain }) => chain.reports < row.chain.reports).map(shown),
    current: current && shown(current),
    near: listBetween(db, row.asset, began - NEAR_BEFORE_MS, began + NEAR_AFTER_MS, MOST_NEAR),
    figure: readFigureDays(db, row, now),
    chance: chanceMarks(db, row.id).get(row.id),
  };
}

/** The runs of a flag, and the acts on its whole thing. One that was resolved and raised again by hand goes on with its runs. */
function historyOf(db: Db, row: ChainedFlag, before: readonly ChainedFlag[]): FlagHistory {
  const own = readHistory(db, row.id, MOST_ENTRIES);
  if (before.length === 0) return own;
  const acts = listActs(db, [row.id, ...before.map(({ id }) => id)], MOST_ACTS);
  const same = before.filter(({ chain }) => chain.reports === row.chain.reports);
  const histories = [own, ...same.map(({ id }) => readHistory(db, id, MOST_ENTRIES))];
  return {
    ...own,
    acts: lastingActs(acts, before).slice(0, MOST_ENTRIES),
    evidence: histories.flatMap(({ evidence }) => evidence).slice(0, MOST_ENTRIES),
    runs: histories.reduce((sum, { runs }) => sum + runs, 0),
  };
}

/**
 * What happened to a lasting thing, without what only says that one report followed another: that stands among the earlier
 * readings. A flag raised anew after a pause is told, and one that lost its acknowledgement.
 */
function lastingActs(acts: readonly FlagRecordRow[], earlier: readonly FlagRow[]): FlagRecordRow[] {
  const before = new Map(earlier.map((flag) => [flag.id, flag]));
  return acts.flatMap((entry): FlagRecordRow[] => {
    if (entry.type === "renewed" || entry.data["resolution"] === "renewed") return [];
    const carried = entry.data["set"] as { readonly renews?: string; readonly acked_by?: string | null };
    const renewed = entry.type === "raised" ? before.get(carried?.renews ?? "") : undefined;
    if (renewed === undefined) return [entry];
    const lost = carried.acked_by === null ? renewed.acked_by : null;
    if (lost === null && renewed.resolution === "renewed") return [];
    return [{ ...entry, data: { ...entry.data, again: true, lost } }];
  });
}
