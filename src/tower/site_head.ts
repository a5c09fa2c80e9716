/** What the top of a site's pages is read from. */

import { orNotFound } from "../base/problem.ts";
import { newestDay } from "../base/time.ts";
import { newsOf } from "../flags/api.ts";
import { NOTHING_OPEN } from "../flags/inbox.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { pauseOf } from "../health/pauses.ts";
import { listStreaks, REPORT_ROUTES } from "../health/refusals.ts";
import type { Entry } from "../integrations/attention.ts";
import { flagsShown } from "../reports/nights.ts";
import { listLastNights } from "../reports/pulse.ts";
import { nightlyOf, siteState } from "../rules/freshness.ts";
import { STALE_INGEST } from "../sites/rule_catalogue.ts";
import { findAsset } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import type { PageGround } from "./ground.ts";
import { healthView, type Moment, siteTallies, unwatchedOf } from "./kit/route.ts";
import type { SiteHead } from "./kit/site_state.tsx";

/** A site with what the top of its pages says. Throws a `Problem` when there is no such site. */
export function siteHead(
  { db, config, silentHoursOf, attention, health }: PageGround,
  asset: string,
  { request, now }: Moment,
): SiteHead & NonNullable<ReturnType<typeof findAsset>> {
  const site = orNotFound(findAsset(db, asset), "No such site.");
  const { open, snoozed } = siteTallies(request, db, now).get(asset) ?? NOTHING_OPEN;
  const [heard] = listLastNights(db, newestDay(now), asset);
  const receivedAt = heard && Math.min(heard.at, now);
  const paused = pauseOf(db, nightlyOf(asset), now);
  const state = siteState({ ...site, receivedAt, silentHours: silentHoursOf(asset), paused }, now);
  const refused = listStreaks(db, asset);
  return {
    ...site,
    asset: site.id,
    openFlags: open,
    snoozed,
    standing: {
      state,
      receivedAt: receivedAt ?? null,
      pausedUntil: paused?.until ?? null,
      refused: refused.find(({ route }) => route === REPORT_ROUTES.nightly),
    },
    refused,
    entries: entriesShown(
      db,
      attention.read(now, healthView(request, health, now)).filter(({ assets }) => assets.includes(asset)),
      now,
    ),
    silenceFlag:
      state === "silent" || state === "reporting"
        ? listOpenSubjects(db, STALE_INGEST, config.serviceAsset, asset)[0]
        : undefined,
    unwatched: unwatchedOf(request, db, asset),
  };
}

// The ranking as pages show it: with the days of `reports/nights.ts`.

/** Each sentence is made as it is shown: few of them are. */
export function entriesShown(db: Db, entries: readonly Entry[], now: number): Entry[] {
  const shown = flagsShown(db);
  return entries.map((entry) => {
    const [worst, ...others] = entry.rows;
    if (worst === undefined) return entry;
    return {
      ...entry,
      get title() {
        return newsOf(shown(worst), now);
      },
      get also() {
        return others.map((flag) => newsOf(shown(flag), now));
      },
    };
  });
}
