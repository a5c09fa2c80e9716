/** What is known of every site for the portfolio, in as many statements for a thousand sites as for one. */
import { listSites } from "../../assets/mod.ts";
import { listLatestMeasures } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { NOTHING_OPEN, tallySites } from "../../flags/mod.ts";
import { listFreshness } from "../../pulse/mod.ts";
import { listStreaks, REPORT_ROUTES } from "../../refusals/mod.ts";
import type { SiteRow } from "./list.ts";

/** Every site by identifier, with its open flags, its latest codebase report and when its last nightly one came. */
export function listSiteRows(
  db: Db,
  now: number,
  freshness = listFreshness(db, now),
  tallies = tallySites(db, now),
): SiteRow[] {
  const sites = listSites(db);
  const ids = sites.map(({ id }) => id);
  const reports = new Map(
    listLatestMeasures(db, ids, "code_lines", now).map((report) => [report.asset, report]),
  );
  const heard = new Map(freshness.map(({ asset, receivedAt }) => [asset, receivedAt]));
  const refused = refusedSince(db);
  return sites.map(({ id, url, lifecycle, group }) => {
    const report = reports.get(id);
    const { open, snoozed } = tallies.get(id) ?? NOTHING_OPEN;
    return {
      asset: id,
      url,
      lifecycle,
      group,
      openFlags: open,
      snoozed,
      codebase:
        report === undefined
          ? null
          : { date: report.date, receivedAt: report.receivedAt, codeLines: report.value ?? null },
      nightlyAt: heard.get(id) ?? null,
      refused: refused.get(id) ?? {},
    };
  });
}

function refusedSince(db: Db): Map<string, NonNullable<SiteRow["refused"]>> {
  const refused = new Map<string, NonNullable<SiteRow["refused"]>>();
  for (const streak of listStreaks(db)) {
    const kind = streak.route === REPORT_ROUTES.nightly ? "nightly" : "codebase";
    refused.set(streak.asset, { ...refused.get(streak.asset), [kind]: streak });
  }
  return refused;
}
