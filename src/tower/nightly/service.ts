/** Ingest freshness of every site, as the service's own asset shows it. Pure. */
import type { Lifecycle } from "../../assets/contract.ts";
import { isSilent } from "../../freshness/mod.ts";
import type { Paging } from "../component/pager.tsx";
import { pagingOf } from "../component/pager.tsx";

/** What is known of one site's reports. */
export interface FreshnessInput {
  readonly asset: string;
  readonly lifecycle: Lifecycle;
  /** All of it is paused by an operator. */
  readonly isPaused: boolean;
  /** When it became live after it had been something else. */
  readonly wentLiveAt?: number | undefined;
  /** When its last nightly report was received, in milliseconds since the epoch; undefined before the first. */
  readonly receivedAt: number | undefined;
  /** Hours of silence after which stale-ingest raises its flag. */
  readonly silentHours: number;
}

/**
 * `silent` is beyond the threshold, `fresh` within it. `waiting` has never reported, `paused` is not expected to, and `unwatched` is
 * not live: stale-ingest judges none of these.
 */
export type FreshnessState = "silent" | "fresh" | "waiting" | "paused" | "unwatched";

export interface SiteFreshness extends FreshnessInput {
  readonly state: FreshnessState;
}

export interface IngestFreshness {
  readonly sites: readonly SiteFreshness[];
  readonly paging: Paging;
  readonly counts: Readonly<Record<FreshnessState, number>>;
}

/** Sites on one page. */
const FRESHNESS_PAGE = 50;

const ORDER: readonly FreshnessState[] = ["silent", "fresh", "waiting", "paused", "unwatched"];

/** Every site with its state: silent ones first, the longest silence before the others, then by name. */
export function ingestFreshness(
  inputs: readonly FreshnessInput[],
  now: number,
  page: number,
): IngestFreshness {
  const all = inputs.map((site) => ({ ...site, state: stateOf(site, now) }));
  all.sort(
    (one, other) =>
      ORDER.indexOf(one.state) - ORDER.indexOf(other.state) ||
      (one.receivedAt ?? 0) - (other.receivedAt ?? 0) ||
      (one.asset < other.asset ? -1 : 1),
  );
  const paging = pagingOf(all.length, page, FRESHNESS_PAGE);
  const count = (state: FreshnessState): number => all.filter((site) => site.state === state).length;
  return {
    sites: all.slice((paging.page - 1) * FRESHNESS_PAGE, paging.page * FRESHNESS_PAGE),
    paging,
    counts: {
      silent: count("silent"),
      fresh: count("fresh"),
      waiting: count("waiting"),
      paused: count("paused"),
      unwatched: count("unwatched"),
    },
  };
}

function stateOf(
  { lifecycle, isPaused, wentLiveAt, receivedAt, silentHours }: FreshnessInput,
  now: number,
): FreshnessState {
  if (lifecycle !== "live") return "unwatched";
  if (isPaused) return "paused";
  if (receivedAt === undefined) return "waiting";
  return isSilent({ wentLiveAt, receivedAt, silentHours }, now) ? "silent" : "fresh";
}
