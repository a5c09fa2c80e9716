/** What the Wall shows, read in one turn: the one view of health, the open flags, and which sites there are. */
import { listPortfolio } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { NOTHING_OPEN } from "../../flags/mod.ts";
import { NIGHTLY_REPORTS } from "../../health/mod.ts";
import { type HealthReader, type HealthView, siteHealth } from "../../integrations/mod.ts";
import { healthView, siteTallies } from "../kit/once.ts";
import type { WallQuery } from "./address.ts";
import { type Beside, besideSites } from "./beside.ts";
import type { WallSite } from "./tile.ts";

export interface WallReadDeps {
  readonly db: Db;
  readonly health: HealthReader;
  readonly config: { readonly serviceAsset: string };
}

/** What the Wall is made of. */
export interface WallFacts {
  readonly view: HealthView;
  /** The group that is shown; null for all sites. */
  readonly group: string | null;
  readonly sites: readonly WallSite[];
  /** What is wrong with accounts and senders, which no tile could show; null where nothing is, or only a group is shown. */
  readonly beside: Beside | null;
}

/** Reads it. A group that there is not is all sites: a screen on a wall shows more rather than nothing. */
export function readWall(
  { db, health, config }: WallReadDeps,
  request: Request,
  query: WallQuery,
  now: number,
): WallFacts {
  const view = healthView(request, health, now);
  const standing = siteHealth(view);
  const silent = silentSince(view, now);
  const tallies = siteTallies(request, db, now);
  const all = listPortfolio(db).filter(({ id }) => id !== config.serviceAsset);
  const grouped = all.filter(({ group }) => group !== null && group === query.group);
  const sites = (grouped.length === 0 ? all : grouped).map(({ id }) => ({
    asset: id,
    health: standing.get(id),
    silentSince: silent.get(id),
    flags: (tallies.get(id) ?? NOTHING_OPEN).open,
  }));
  const group = grouped.length === 0 ? null : query.group;
  return { view, group, sites, beside: group === null ? besideSites(view) : null };
}

/** When the last nightly report of each site came whose next one is overdue. */
function silentSince({ capabilities }: HealthView, now: number): ReadonlyMap<string, number> {
  const nightly = capabilities.find(({ capability }) => capability === NIGHTLY_REPORTS);
  return new Map(
    (nightly?.targets ?? []).flatMap(({ asset, state, dueAt, lastSuccessStartedAt }) =>
      state !== "paused" && dueAt !== null && dueAt <= now && lastSuccessStartedAt !== null
        ? [[asset, lastSuccessStartedAt] as const]
        : [],
    ),
  );
}
