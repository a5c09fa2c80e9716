import { findAsset } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { NOTHING_OPEN } from "../flags/mod.ts";
import { Problem } from "../platform/problem.ts";
import type { SiteHead } from "./component/site_header.tsx";
import { siteTallies } from "./kit/once.ts";
import type { Moment } from "./kit/route.ts";

/** A site with what the top of its pages says. Throws a `Problem` when there is no such site. */
export function siteHead(
  db: Db,
  asset: string,
  { request, now }: Moment,
): SiteHead & NonNullable<ReturnType<typeof findAsset>> {
  const site = findAsset(db, asset);
  if (site === undefined) throw new Problem("not-found", "No such site.");
  const { open, snoozed } = siteTallies(request, db, now).get(asset) ?? NOTHING_OPEN;
  return { ...site, asset: site.id, openFlags: open, snoozed };
}
