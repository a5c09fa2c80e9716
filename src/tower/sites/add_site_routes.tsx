/** `/sites/new`, and the page of a site's first report. */

import { inTurn } from "../../base/concurrency.ts";
import { isAssetId, readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { listRefused, type RefusedReports } from "../../health/refusals.ts";
import { findLatest } from "../../reports/codebase.ts";
import { findLatestPulse } from "../../reports/pulse.ts";
import { addAsset } from "../../sites/site_changes.ts";
import { issueSiteToken, type SiteTokenBook } from "../../sites/site_tokens.ts";
import { findAsset, listAllAssets, listGroups, NewAssetSchema, type SiteGroup } from "../../sites/sites.ts";
import { refusedFields, typedInto } from "../form.ts";
import type { FreshTokens, TokenHolder } from "../fresh_tokens.ts";
import type { PageDeps } from "../keyboard.tsx";
import { type ConfirmDeps, confirmed } from "../kit/confirmed_form.tsx";
import { type Filled, Form, type Refused, RefusedNote, TextField } from "../kit/field.tsx";
import { HelpLink } from "../kit/links.tsx";
import { get, mounted, own, type Visit } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { siteTokenRows } from "../settings/token_list.tsx";
import { AddressField, GroupField, LifecycleField } from "../site/fields.tsx";
import { webAddress } from "../site/settings_routes.tsx";
import type { Destination } from "../site/ways.tsx";
import { FirstReport, FirstReportPage, type FirstReportState } from "./first_report_page.tsx";

/** The validation of a new site's form. Pure. */

export const EMPTY_SITE = { id: "", url: "", group: "", lifecycle: "live" };
type TypedSite = typeof EMPTY_SITE;

/** Fields of the form that keep their space as it was sent. */
const AS_SENT = ["lifecycle"] as const;

/** Validates a form; `known` are the identifiers of the portfolio. */
export function judgeSite(typed: TypedSite, known: readonly string[]) {
  const judged = readContract(NewAssetSchema, {
    id: typed.id,
    url: typed.url === "" ? null : webAddress(typed.url),
    group: typed.group === "" ? null : typed.group,
    lifecycle: typed.lifecycle,
    families: [],
  });
  const refused: Refused = judged.ok ? {} : refusedFields(judged.errors);
  const errors: Refused = {
    id: wrongIdentifier(typed.id, known),
    url: refused["url"],
    group: refused["group"],
    lifecycle: refused["lifecycle"],
  };
  if (judged.ok && Object.values(errors).every((error) => error === undefined)) return judged;
  return { ok: false, errors } as const;
}

function wrongIdentifier(id: string, known: readonly string[]): string | undefined {
  if (id === "") return "Give an identifier, for example shop.example.";
  if (known.includes(id)) return "This site exists already.";
  const like = known.find((other) => other.toLowerCase() === id.toLowerCase());
  if (like !== undefined) return `${like} exists already. Use a name that differs in more than capitals.`;
  if (id.includes("/")) return "Leave out https:// and slashes, for example shop.example.";
  if (id.length > 128) return "Use at most 128 characters.";
  if (id === "new") return "Not new: /sites/new is this page. Use for example new.example.";
  if (isAssetId(id)) return undefined;
  if (/\s/.test(id)) return "No spaces. Use letters, digits, dots, underscores or hyphens.";
  return "Start with a letter or digit. Use letters, digits, dots, underscores or hyphens.";
}

/** The form, empty or with its refused values. Families are declared in the site's settings. */
function AddSitePage({ filled, groups }: { readonly filled: Filled; readonly groups: readonly SiteGroup[] }) {
  return (
    <Page title="Add a site" current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / new
          </p>
          <h1>Add a site</h1>
          <HelpLink to={paths.helpPage("sending")} about="sending reports" />
        </div>
        <RefusedNote errors={filled.errors} words="Couldn't add the site. Check the highlighted field." />
        <Form action={paths.sites}>
          <TextField
            name="id"
            label="Site identifier"
            help="For example shop.example. It cannot be changed later."
            filled={filled}
            class="mono"
            required
            maxlength={2048}
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            autofocus
          />
          <AddressField label="Address (optional)" help="For example https://shop.example" filled={filled} />
          <GroupField label="Group (optional)" groups={groups} filled={filled} />
          <LifecycleField help="A live site is expected to report each night." filled={filled} />
          <div class="row">
            <button class="btn primary">Add site</button>
            <a class="btn bare" href={paths.portfolio}>
              Cancel
            </a>
          </div>
        </Form>
      </div>
    </Page>
  );
}

interface AddSiteDeps extends PageDeps, ConfirmDeps {
  readonly siteTokens: SiteTokenBook;
  readonly freshTokens: FreshTokens;
  readonly refusals: RefusedReports;
  readonly destinationOf: (asset: string) => Destination;
}

type AddVisit = Pick<
  Visit<SignedIn, unknown, unknown, URLSearchParams, unknown>,
  "who" | "by" | "now" | "page"
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
    const { by, who, now } = visit;
    // The same form sent twice, as by a double click: the site is there, and so is its token.
    if (freshTokens.find(who, siteOf(values.id), now) !== undefined)
      return seeOther(paths.firstReport(values.id));
    const known = listAllAssets(db).map(({ id }) => id);
    const judged = judgeSite(values, known);
    if (!judged.ok) {
      const filled = { values, errors: judged.errors };
      return visit.page(<AddSitePage filled={filled} groups={listGroups(db)} />, { status: 422 });
    }
    const { id } = judged.value;
    // The site is new: nothing is held about it that retiring could end.
    await addAsset(deps.writer, judged.value, { ...by, onRetired: () => {} });
    const { token } = await issueSiteToken(deps, id, by);
    freshTokens.keep(who, { ...siteOf(id), token }, now);
    return seeOther(paths.firstReport(id));
  };
  return mounted(deps, [
    get(paths.newSite, {}, () => (
      <AddSitePage filled={{ values: EMPTY_SITE, errors: {} }} groups={listGroups(db)} />
    )),
    sure.post(paths.sites, {}, (visit) => {
      const values = typedInto(visit.form, EMPTY_SITE, AS_SENT);
      return oneByOne(values.id, () => add(visit, values));
    }),
    own.get(paths.firstReport, { find }, (visit) => {
      const { now, who, found: site } = visit;
      const asset = site.id;
      const heard = heardOf(deps, asset, now);
      if (visit.wants("heard")) return visit.part(<FirstReport asset={asset} heard={heard} />);
      return visit.page(
        <FirstReportPage
          site={site}
          destination={deps.destinationOf(asset)}
          fresh={freshTokens.find(who, siteOf(asset), now)}
          tokens={siteTokenRows(db, deps.siteTokens, asset).length}
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

/** The newest report of the site; while there is none, the latest refused one. */
function heardOf(deps: AddSiteDeps, asset: string, now: number): FirstReportState {
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
  return { state: "waiting", rejected: refusals.findLatest(asset) ?? listRefused(db, asset)[0] ?? null };
}
