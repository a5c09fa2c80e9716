import { addAsset, findAsset, issueSiteToken, NewAssetSchema, type SiteTokenBook } from "../../assets/mod.ts";
import { findLatest } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { readContract } from "../../lib/contract.ts";
import { Problem } from "../../platform/problem.ts";
import { findLatestPulse } from "../../pulse/mod.ts";
import { listRefused, type RefusedReports } from "../../refusals/mod.ts";
import { type ConfirmDeps, confirmed } from "../confirm/confirmed_form.tsx";
import { refusedFields, typedInto } from "../form.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { FirstReport, type FirstReportState } from "./first_report.tsx";
import { AddSitePage, EMPTY_SITE, SiteAddedPage } from "./page.tsx";

/** What adding a site needs. */
export interface AddSiteDeps extends PageDeps, ConfirmDeps {
  readonly siteTokens: SiteTokenBook;
  readonly refusals: RefusedReports;
  readonly destinationOf: (asset: string) => Destination;
}

/** `/sites/new`, the form's target, and the fragment that waits for the first report. */
export function addSiteRoutes(deps: AddSiteDeps) {
  const { db } = deps.store;
  return mounted(deps, [
    get(paths.newSite, {}, ({ shell }) => (
      <AddSitePage shell={shell} filled={{ values: EMPTY_SITE, errors: {} }} />
    )),
    confirmed().post(paths.sites, {}, async (visit) => {
      const { shell, by } = visit;
      const values = typedInto(visit.form, EMPTY_SITE, ["lifecycle", "families"]);
      const judged = judge(db, values);
      if (!judged.ok) {
        const filled = { values, errors: judged.errors };
        return visit.page(<AddSitePage shell={shell} filled={filled} />, { status: 422 });
      }
      const { id, url, lifecycle } = judged.value;
      // The site is new: nothing is held about it that retiring could end.
      await addAsset(deps.writer, judged.value, { ...by, onRetired: () => {} });
      const { token } = await issueSiteToken(deps, id, by);
      return (
        <SiteAddedPage
          shell={shell}
          url={url}
          lifecycle={lifecycle}
          destination={{ ...deps.destinationOf(id), token }}
          heard={{ state: "waiting", rejected: null }}
        />
      );
    }),
    get(paths.firstReport, {}, ({ params: { asset }, now, part }) => {
      if (findAsset(db, asset) === undefined) throw new Problem("not-found", "No such site.");
      return part(<FirstReport asset={asset} heard={heardOf(deps, asset, now)} now={now} />);
    }),
  ]);
}

/** The site that was filled in, or a sentence for each field that does not do. */
function judge(db: Db, { id, url, lifecycle, families }: typeof EMPTY_SITE) {
  const site = { id, url: url === "" ? null : url, lifecycle, families: familiesOf(families) };
  const judged = readContract(NewAssetSchema, site);
  if (!judged.ok)
    return { ok: false, errors: refusedFields(judged.errors, { families: "Each line" }) } as const;
  if (findAsset(db, id) === undefined) return judged;
  return { ok: false, errors: { id: "A site with this identifier is in the portfolio." } } as const;
}

/** One family a line, with its storage behind the last `=`. */
function familiesOf(text: string): { family: string; storage: string }[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, family = line, storage = ""] = /^(.*)=(.*)$/.exec(line) ?? [];
      return { family: family.trim(), storage: storage.trim() };
    });
}

function heardOf(deps: AddSiteDeps, asset: string, now: number): FirstReportState {
  const codebase = findLatest(deps.store.db, asset, now);
  if (codebase !== undefined) {
    const { receivedAt, date, revision, measures } = codebase;
    const values = Object.keys(measures).length;
    return { state: "received", report: "codebase", receivedAt, date, revision, values };
  }
  const nightly = findLatestPulse(deps.store.db, asset, now);
  if (nightly !== undefined) {
    const { receivedAt, date, revision, metrics } = nightly;
    return { state: "received", report: "nightly", receivedAt, date, revision, values: metrics };
  }
  const rejected = deps.refusals.findLatest(asset) ?? listRefused(deps.store.db, asset)[0];
  return { state: "waiting", rejected: rejected ?? null };
}
