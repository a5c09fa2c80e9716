/** What the Wall shows, read in one turn: the one view of health, the open flags, and which sites are silent. */
import { listGroups, listLiveSites, listSites } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { NOTHING_OPEN } from "../../flags/mod.ts";
import { isSilent } from "../../freshness/mod.ts";
import { type HealthReader, type HealthView, siteHealth } from "../../integrations/mod.ts";
import { healthView, lastHeard, siteTallies } from "../kit/once.ts";
import type { WallQuery } from "./address.ts";
import type { WallSite } from "./tile.ts";

export interface WallReadDeps {
  readonly db: Db;
  readonly health: HealthReader;
  readonly config: { readonly serviceAsset: string };
  /** After how many hours without a report a site is silent. */
  readonly silentHoursOf: (asset: string) => number;
}

/** What the Wall is made of. */
export interface WallFacts {
  readonly view: HealthView;
  /** The group that is shown; null for all sites. */
  readonly group: string | null;
  readonly sites: readonly WallSite[];
}

/** Reads it. A group that there is not is all sites: a screen on a wall shows more rather than nothing. */
export function readWall(deps: WallReadDeps, request: Request, query: WallQuery, now: number): WallFacts {
  const { db, config } = deps;
  const view = healthView(request, deps.health, now);
  const health = siteHealth(view);
  const tallies = siteTallies(request, db, now);
  const silent = silentSites(deps, request, now);
  const group = listGroups(db).some(({ name }) => name === query.group) ? query.group : null;
  const sites = listSites(db)
    .filter(({ id, lifecycle }) => lifecycle !== "retired" && id !== config.serviceAsset)
    .filter((site) => group === null || site.group === group)
    .map(({ id }) => ({
      asset: id,
      health: health.get(id),
      silentSince: silent.get(id),
      flags: (tallies.get(id) ?? NOTHING_OPEN).open,
    }));
  return { view, group, sites };
}

/** Since when each live site that is silent for too long is so. */
function silentSites({ db, silentHoursOf }: WallReadDeps, request: Request, now: number) {
  const heard = new Map(lastHeard(request, db, now).map(({ asset, receivedAt }) => [asset, receivedAt]));
  return new Map(
    listLiveSites(db).flatMap(({ id, wentLiveAt }) => {
      const receivedAt = heard.get(id);
      if (receivedAt === undefined) return [];
      const known = { receivedAt, wentLiveAt: wentLiveAt ?? undefined, silentHours: silentHoursOf(id) };
      return isSilent(known, now) ? [[id, receivedAt] as const] : [];
    }),
  );
}
