import { parseUtcDay, type UtcDay } from "../../lib/utc_day.ts";
import { Problem } from "../../platform/problem.ts";
import { wholeOrDamage } from "../damage.tsx";
import { get, type Moment, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { readSiteDay } from "./day.ts";
import { DayPage, dayAddress } from "./day_page.tsx";

/** `/sites/{asset}/days/{date}`: one day of a site. */
export function siteDayRoutes(deps: PageDeps & SiteHeadDeps) {
  const { db } = deps;
  const find = ({ asset, date }: { readonly asset: string; readonly date: string }, at: Moment) => ({
    site: siteHead(deps, asset, at),
    day: dayOf(date),
  });
  return mounted(deps, [
    get(paths.siteDay, { query: dayAddress, find }, ({ shell, query, now, found: { site, day } }) =>
      wholeOrDamage({ shell, site, tab: "overview" }, () => (
        <DayPage shell={shell} site={site} of={readSiteDay(db, site.asset, day, now)} page={query.page} />
      )),
    ),
  ]);
}

/** @throws Problem where an address names no calendar day. */
function dayOf(date: string): UtcDay {
  const day = parseUtcDay(date);
  if (day === undefined) throw new Problem("not-found", "No such day.");
  return day;
}
