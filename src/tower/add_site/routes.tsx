import {
  addAsset,
  findAsset,
  issueSiteToken,
  listAllAssets,
  listGroups,
  type SiteTokenBook,
} from "../../assets/mod.ts";
import { findLatest } from "../../codebase/mod.ts";
import { inTurn } from "../../lib/in_turn.ts";
import { Problem } from "../../platform/problem.ts";
import { findLatestPulse } from "../../pulse/mod.ts";
import { listRefused, type RefusedReports } from "../../refusals/mod.ts";
import { type ConfirmDeps, confirmed } from "../confirm/confirmed_form.tsx";
import { typedInto } from "../form.ts";
import type { FreshTokens, TokenHolder } from "../fresh_tokens.ts";
import { own } from "../kit/gates.ts";
import { get, mounted } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import type { SignedIn } from "../session.ts";
import { siteTokenRows } from "../settings/token_rows.ts";
import { FirstReport, type FirstReportState } from "./first_report.tsx";
import { FirstReportPage } from "./first_report_page.tsx";
import { AddSitePage } from "./page.tsx";
import { AS_SENT, EMPTY_SITE, judgeSite, type TypedSite } from "./typed_site.ts";

/** What adding a site needs. */
export interface AddSiteDeps extends PageDeps, ConfirmDeps {
  readonly siteTokens: SiteTokenBook;
  readonly freshTokens: FreshTokens;
  readonly refusals: RefusedReports;
  readonly destinationOf: (asset: string) => Destination;
}

type AddVisit = Pick<
  Visit<SignedIn, unknown, unknown, URLSearchParams, unknown>,
  "who" | "by" | "now" | "shell" | "page"
>;

/** `/sites/new`, the form's target, and the page on which a site's first report is sent and awaited. */
export function addSiteRoutes(deps: AddSiteDeps) {
  const { freshTokens } = deps;
  const { db } = deps.store;
  const find = ({ asset }: { readonly asset: string }) => {
    const site = findAsset(db, asset);
    if (site === undefined) throw new Problem("not-found", "No such site.");
    return site;
  };
  const sure = confirmed();
  // A double click sends its second form before the first is answered.
  const oneByOne = inTurn();
  const add = async (visit: AddVisit, values: TypedSite): Promise<Response> => {
    const { shell, by, who, now } = visit;
    // The same form sent twice, as by a double click: the site is there, and so is its token.
    if (freshTokens.find(who, siteOf(values.id), now) !== undefined)
      return seeOther(paths.firstReport(values.id));
    const known = listAllAssets(db).map(({ id }) => id);
    const judged = judgeSite(values, known);
    if (!judged.ok) {
      const { errors, better } = judged;
      const there = known.includes(values.id) ? values.id : null;
      const page = (
        <AddSitePage
          shell={shell}
          filled={{ values, errors }}
          groups={listGroups(db)}
          better={better}
          there={there}
        />
      );
      return visit.page(page, { status: 422 });
    }
    const { id } = judged.value;
    // The site is new: nothing is held about it that retiring could end.
    await addAsset(deps.writer, judged.value, { ...by, onRetired: () => {} });
    const { token } = await issueSiteToken(deps, id, by);
    freshTokens.keep(who, { ...siteOf(id), token }, now);
    return seeOther(paths.firstReport(id));
  };
  return mounted(deps, [
    // A link may fill in the form: what would do in the place of what was refused is one click away.
    get(paths.newSite, {}, ({ shell, search }) => (
      <AddSitePage
        shell={shell}
        filled={{ values: typedInto(search, EMPTY_SITE, AS_SENT), errors: {} }}
        groups={listGroups(db)}
      />
    )),
    sure.post(paths.sites, {}, (visit) => {
      const values = typedInto(visit.form, EMPTY_SITE, AS_SENT);
      return oneByOne(values.id, () => add(visit, values));
    }),
    own.get(paths.firstReport, { find }, (visit) => {
      const { shell, now, who, found: site } = visit;
      const asset = site.id;
      const heard = heardOf(deps, asset, site.addedAt, now);
      if (visit.wants("heard")) return visit.part(<FirstReport asset={asset} heard={heard} now={now} />);
      return visit.page(
        <FirstReportPage
          shell={shell}
          site={site}
          destination={deps.destinationOf(asset)}
          fresh={freshTokens.find(who, siteOf(asset), now)}
          tokens={siteTokenRows(db, deps.siteTokens, { asset }).length}
          heard={heard}
        />,
        { noStore: true },
      );
    }),
    sure.post(paths.firstToken, { find }, ({ found: { id }, by, who, now }) =>
      oneByOne(id, async () => {
        if (freshTokens.find(who, siteOf(id), now) === undefined) {
          const { token } = await issueSiteToken(deps, id, by);
          freshTokens.keep(who, { ...siteOf(id), token }, now);
        }
        return seeOther(paths.firstReport(id));
      }),
    ),
  ]);
}

function siteOf(name: string): TokenHolder {
  return { kind: "site", name };
}

/** Reports that nobody can place are told of to whoever waits, when they came after the site was added. */
function heardOf(deps: AddSiteDeps, asset: string, addedAt: number, now: number): FirstReportState {
  const { refusals } = deps;
  const { db } = deps.store;
  const codebase = findLatest(db, asset, now);
  if (codebase !== undefined) {
    const { receivedAt, date, revision, measures } = codebase;
    const values = Object.keys(measures).length;
    return { state: "received", report: "codebase", receivedAt, date, revision, values };
  }
  const nightly = findLatestPulse(db, asset, now);
  if (nightly !== undefined) {
    const { receivedAt, date, revision, metrics } = nightly;
    return { state: "received", report: "nightly", receivedAt, date, revision, values: metrics };
  }
  const rejected = refusals.findLatest(asset) ?? listRefused(db, asset)[0] ?? null;
  const stray = refusals.lastStray();
  return {
    state: "waiting",
    rejected,
    stray: stray !== undefined && stray.at >= addedAt && stray.tokenOf !== asset ? stray : null,
  };
}
