import { findAsset } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { countOpenBySeverity } from "../flags/mod.ts";
import { Problem } from "../platform/problem.ts";
import type { SeverityCounts } from "./component/severity.tsx";
import type { SiteHead } from "./component/site_header.tsx";

/** Open flags of each site, by severity. */
export function openCounts(db: Db, assets?: readonly string[]): Map<string, SeverityCounts> {
  const counts = new Map<string, SeverityCounts>();
  for (const { asset, severity, count } of countOpenBySeverity(db, assets)) {
    counts.set(asset, { ...(counts.get(asset) ?? NO_FLAGS), [severity]: count });
  }
  return counts;
}

/** No open flag at all. */
export const NO_FLAGS: SeverityCounts = { error: 0, warn: 0, info: 0 };

/** A site with what the top of its pages says. Throws a `Problem` when there is no such site. */
export function siteHead(db: Db, asset: string): SiteHead & NonNullable<ReturnType<typeof findAsset>> {
  const site = findAsset(db, asset);
  if (site === undefined) throw new Problem("not-found", "No such site.");
  return { ...site, asset: site.id, openFlags: openCounts(db, [asset]).get(asset) ?? NO_FLAGS };
}
