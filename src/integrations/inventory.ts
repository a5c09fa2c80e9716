/** What is set up and to be watched, as it is stored. */
import { listSites, type Site } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../monitoring/mod.ts";
import { listFreshness } from "../pulse/mod.ts";
import { listStreaks, type Streak } from "../refusals/mod.ts";

/** The configuration and what sites were last heard of. */
export interface Inventory {
  /** Every site that is watched: neither retired nor the service's own. */
  readonly sites: readonly Site[];
  /** When each site's last nightly report was accepted, in milliseconds since the epoch. */
  readonly heard: ReadonlyMap<string, number>;
  /** Refusals in a row, by site. */
  readonly streaks: ReadonlyMap<string, readonly Streak[]>;
  readonly monitoring: readonly MonitoringFailure[];
}

/** Reads it. Throws what the database throws. */
export function readInventory(
  db: Db,
  { serviceAsset, now }: { readonly serviceAsset: string; readonly now: number },
): Inventory {
  return {
    sites: listSites(db).filter(({ id, lifecycle }) => id !== serviceAsset && lifecycle !== "retired"),
    heard: new Map(listFreshness(db, now).map(({ asset, receivedAt }) => [asset, receivedAt])),
    streaks: Map.groupBy(listStreaks(db), ({ asset }) => asset),
    monitoring: listMonitoringFailures(db),
  };
}
