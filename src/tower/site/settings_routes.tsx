/** Routes of a site's settings: saving, issuing and revoking tokens, and removing the site. */

import { type BrokenRule, readContract } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { retireFlags } from "../../flags/site_flags.ts";
import { listInForce } from "../../health/pauses.ts";
import { barWords, removeSite, siteBar } from "../../integrations/remove_site.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { type AssetChange, changeAsset } from "../../sites/site_changes.ts";
import { issueSiteToken, revokeSiteToken, type SiteTokenBook } from "../../sites/site_tokens.ts";
import { listGroups, NewAssetSchema } from "../../sites/sites.ts";
import { refusedFields, typedInto } from "../form.ts";
import type { FreshTokens } from "../fresh_tokens.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { type ConfirmDeps, confirmed } from "../kit/confirmed_form.tsx";
import type { Filled } from "../kit/field.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { revoked, siteTokenRows } from "../settings/token_list.tsx";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { SiteSettingsPage } from "./settings_page.tsx";
import { readSources } from "./sources.tsx";
import { metricChoice, overridesOf } from "./thresholds.tsx";

export function webAddress(typed: string): string {
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#]\S*)?$/u.test(typed)
    ? `https://${typed}`
    : typed;
}

/** What a site's settings need. */

interface SiteSettingsDeps extends PageDeps, ConfirmDeps, SiteHeadDeps {
  readonly siteTokens: SiteTokenBook;
  readonly freshTokens: FreshTokens;
  readonly constants: Pick<ConstantsStore, "current">;
}

/** `/sites/{asset}/settings`: address, group, lifecycle, metric families, tokens and own thresholds. */
export function siteSettingsRoutes(deps: SiteSettingsDeps) {
  const sure = confirmed();
  return mounted(deps, [
    own.get(paths.siteSettings, {}, (visit) => page(deps, visit)),
    own.post(paths.siteSettings, {}, (visit) => {
      const { group: before } = siteHead(deps, visit.params.asset, visit);
      const typed = { url: "", group: before ?? "", lifecycle: "" };
      const values = typedInto(visit.form, typed, ["lifecycle"]);
      const judged = judge({
        url: values.url === "" ? null : webAddress(values.url),
        group: values.group === "" ? null : values.group,
        lifecycle: values.lifecycle,
      });
      if (!judged.ok) return refused(deps, visit, values, judged.errors);
      const { url, group = null, lifecycle } = judged.value;
      return change(deps, visit, { url, group, lifecycle });
    }),
    own.post(paths.declareFamily, {}, (visit) => {
      const values = typedInto(visit.form, { family: "", storage: "" }, ["storage"]);
      const judged = judge({ families: [values] });
      if (!judged.ok) return refused(deps, visit, values, judged.errors);
      const [declare] = judged.value.families;
      return change(deps, visit, declare === undefined ? {} : { declare });
    }),
    own.post(paths.withdrawFamily, {}, (visit) =>
      change(deps, visit, { withdraw: visit.form.get("family") ?? "" }),
    ),
    sure.post(paths.removeSite, {}, async ({ params: { asset }, by }) => {
      const removed = await removeSite(deps, asset, by);
      if (removed.ok) return seeOther(withNotice(paths.portfolio, "site-removed"));
      throw new Problem(removed.bar === "missing" ? "not-found" : "conflict", barWords(removed.bar, asset));
    }),
    sure.post(paths.issueTokenOfSite, {}, async (visit) => {
      const { asset } = siteHead(deps, visit.params.asset, visit);
      const { token } = await issueSiteToken(deps, asset, visit.by);
      deps.freshTokens.keep(visit.who, { kind: "site", name: asset, token }, visit.now);
      return seeOther(paths.siteSettings(asset));
    }),
    sure.post(paths.revokeTokenOfSite, {}, async ({ params: { asset, id }, by }) => {
      const isOwn = siteTokenRows(deps.db, deps.siteTokens, { asset }).some((token) => token.id === id);
      return revoked(isOwn && (await revokeSiteToken(deps, id, by)), paths.siteSettings(asset));
    }),
  ]);
}

/** A request about a site. */
type SiteVisit = Pick<
  Visit<SignedIn, { readonly asset: string }, unknown, unknown, unknown>,
  "request" | "who" | "now" | "params" | "search" | "by" | "page"
>;

/** Judges the changed parts by the contract of a new site; the site's own identifier was judged when it was added. */
function judge(part: { readonly [field: string]: unknown }) {
  return readContract(NewAssetSchema, { id: "a", url: null, lifecycle: "live", families: [], ...part });
}

async function change(deps: SiteSettingsDeps, { params: { asset }, by }: SiteVisit, what: AssetChange) {
  const result = await changeAsset(deps.writer, asset, what, {
    ...by,
    onRetired: (tx) => retireFlags(tx, { asset, serviceAsset: deps.config.serviceAsset, ...by }),
  });
  if (result === "missing") throw new Problem("not-found", "No such site.");
  const back = paths.siteSettings(asset);
  return seeOther(result === "changed" ? withNotice(back, "site-changed") : back);
}

/** The page again, each refusal at its field. */
function refused(
  deps: SiteSettingsDeps,
  visit: SiteVisit,
  values: Filled["values"],
  errors: readonly BrokenRule[],
) {
  const filled = { values, errors: refusedFields(errors) };
  return page(deps, visit, filled);
}

/** With what was typed and refused, where something was. */
function page(deps: SiteSettingsDeps, visit: SiteVisit, filled?: Filled): Response {
  const { db, siteTokens, freshTokens, constants, config } = deps;
  const { search, who, now } = visit;
  const { asset } = visit.params;
  const site = siteHead(deps, asset, visit);
  const stored = {
    url: site.url ?? "",
    group: site.group ?? "",
    lifecycle: site.lifecycle,
    family: "",
    storage: "d1",
  };
  const issued = freshTokens.find(who, { kind: "site", name: asset }, now);
  return visit.page(
    <SiteSettingsPage
      site={site}
      filled={{ values: { ...stored, ...filled?.values }, errors: filled?.errors ?? {} }}
      groups={listGroups(db)}
      tokens={siteTokenRows(db, siteTokens, { asset })}
      issued={issued}
      bar={siteBar(db, asset, { siteTokens, config })}
      pausing={{
        whole: listInForce(db, now).find((pause) => pause.capability === "" && pause.asset === asset),
        isPausable: asset !== config.serviceAsset,
      }}
      sources={readSources(db, asset, now)}
      overrides={overridesOf(constants.current().constants, asset)}
      metrics={metricChoice(db, asset, search)}
    />,
    { status: filled === undefined ? 200 : 422, noStore: issued !== undefined },
  );
}
