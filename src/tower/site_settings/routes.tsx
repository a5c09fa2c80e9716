import { Elysia } from "elysia";
import {
  type AssetChange,
  changeAsset,
  issueSiteToken,
  listTokens,
  NewAssetSchema,
  revokeSiteToken,
  type SiteTokenBook,
  settingTokenUses,
} from "../../assets/mod.ts";
import type { ConstantsKeeper } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { retireFlags } from "../../flags/mod.ts";
import { readContract } from "../../lib/contract.ts";
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import { listMetricNames } from "../../pulse/mod.ts";
import type { Filled } from "../component/field.tsx";
import { pagingOf } from "../component/pager.tsx";
import { type ConfirmDeps, confirmedForm } from "../confirm/confirmed_form.tsx";
import { readForm, refusedFields, typedInto } from "../form.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlPage, seeOther } from "../respond.ts";
import { siteHead } from "../site_head.ts";
import { overridesOf } from "./overrides.ts";
import { SiteSettingsPage } from "./page.tsx";
import { siteSettingsPaths } from "./paths.ts";
import type { MetricChoice } from "./thresholds.tsx";
import type { SiteToken } from "./tokens.tsx";

/** What a site's settings need. */
export interface SiteSettingsDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly siteTokens: SiteTokenBook;
  readonly constants: Pick<ConstantsKeeper, "current">;
  readonly config: { readonly serviceAsset: string };
}

/** `/sites/{asset}/settings`: address, lifecycle, metric families, tokens and own thresholds. */
export function siteSettingsRoutes(deps: SiteSettingsDeps) {
  return new Elysia({ name: "site-settings" })
    .get("/sites/:asset/settings", ({ request, params: { asset } }) =>
      page(request, deps, deps.access.page(request), asset),
    )
    .post("/sites/:asset/settings", ({ request, params: { asset } }) => changeSite(request, deps, asset), {
      parse: "none",
    })
    .post(
      "/sites/:asset/settings/families",
      ({ request, params: { asset } }) => declareFamily(request, deps, asset),
      { parse: "none" },
    )
    .post(
      "/sites/:asset/settings/families/withdrawal",
      ({ request, params: { asset } }) => withdrawFamily(request, deps, asset),
      { parse: "none" },
    )
    .post("/sites/:asset/settings/tokens", ({ request, params: { asset } }) => issue(request, deps, asset), {
      parse: "none",
    })
    .post(
      "/sites/:asset/settings/tokens/:id/revocation",
      ({ request, params: { asset, id } }) => revoke(request, deps, asset, id),
      { parse: "none" },
    );
}

async function changeSite(request: Request, deps: SiteSettingsDeps, asset: string): Promise<Response> {
  const actor = deps.access.page(request);
  const form = await readForm(request);
  const values = typedInto(form, { url: "", lifecycle: "" });
  const judged = judge(asset, { url: values.url === "" ? null : values.url, lifecycle: values.lifecycle });
  if (!judged.ok) return page(request, deps, actor, asset, { filled: { values, errors: judged.errors } });
  const { url: address, lifecycle: stage } = judged.value;
  return change(deps, actor, asset, { url: address, lifecycle: stage });
}

async function declareFamily(request: Request, deps: SiteSettingsDeps, asset: string): Promise<Response> {
  const actor = deps.access.page(request);
  const form = await readForm(request);
  const values = typedInto(form, { family: "", storage: "" });
  const judged = judge(asset, { families: [values] });
  if (!judged.ok) return page(request, deps, actor, asset, { filled: { values, errors: judged.errors } });
  const [declare] = judged.value.families;
  return change(deps, actor, asset, declare === undefined ? {} : { declare });
}

async function withdrawFamily(request: Request, deps: SiteSettingsDeps, asset: string): Promise<Response> {
  const actor = deps.access.page(request);
  return change(deps, actor, asset, { withdraw: (await readForm(request)).get("family") ?? "" });
}

/** Judges the changed parts by the contract of a new site, each refusal at its field. */
function judge(id: string, part: { readonly [field: string]: unknown }) {
  const judged = readContract(NewAssetSchema, { id, url: null, lifecycle: "live", families: [], ...part });
  return judged.ok ? judged : ({ ok: false, errors: refusedFields(judged.errors) } as const);
}

async function change(
  deps: SiteSettingsDeps,
  actor: Actor,
  asset: string,
  what: AssetChange,
): Promise<Response> {
  const by = { actor: actor.id, now: deps.clock.now() };
  const result = await changeAsset(deps.writer, asset, what, {
    ...by,
    onRetired: (tx) => retireFlags(tx, { asset, serviceAsset: deps.config.serviceAsset, ...by }),
  });
  if (result === "missing") throw new Problem("not-found", "No such site.");
  return seeOther(`${siteSettingsPaths.page(asset)}${result === "changed" ? "?done=site-changed" : ""}`);
}

async function issue(request: Request, deps: SiteSettingsDeps, asset: string): Promise<Response> {
  const { actor } = await confirmedForm(request, deps);
  siteHead(deps.db, asset);
  const { token } = await issueSiteToken(deps, asset, { actor: actor.id, now: deps.clock.now() });
  return page(request, deps, actor, asset, { issued: token });
}

async function revoke(
  request: Request,
  deps: SiteSettingsDeps,
  asset: string,
  id: string,
): Promise<Response> {
  const { actor } = await confirmedForm(request, deps);
  const isOwn = listTokens(deps.db, { asset }).some((token) => token.id === id);
  const by = { actor: actor.id, now: deps.clock.now() };
  if (!isOwn || !(await revokeSiteToken(deps, id, by))) {
    throw new Problem("not-found", "No such token is in force; it may have been revoked before.");
  }
  return seeOther(`${siteSettingsPaths.page(asset)}?done=token-revoked`);
}

function tokensOf({ db, siteTokens }: SiteSettingsDeps, asset: string): SiteToken[] {
  const uses = settingTokenUses(db);
  return [
    ...listTokens(db, { asset }).map(({ id, createdAt, createdBy, lastUsedAt }) => {
      return { id, issued: { at: createdAt, by: createdBy.replace(/^operator:/, "") }, lastUsedAt };
    }),
    ...siteTokens
      .named()
      .filter((token) => token.asset === asset)
      .map(({ digest }) => {
        return { id: digest.slice(0, 12), issued: null, lastUsedAt: uses.get(digest) ?? null };
      }),
  ];
}

/** Metrics on one page of the list: a site that reported before names were bounded may have thousands. */
const METRICS_PAGE = 50;
/** What a filter may hold: no name is longer. */
const LONGEST_Q = 200;

function metricsOf(db: Db, asset: string, query: URLSearchParams): MetricChoice {
  const q = (query.get("metric") ?? "").trim().slice(0, LONGEST_Q);
  const wanted = Number(query.get("page") ?? 1);
  const found = listMetricNames(db, asset).filter((name) => name.toLowerCase().includes(q.toLowerCase()));
  const paging = pagingOf(found.length, Number.isSafeInteger(wanted) ? wanted : 1, METRICS_PAGE);
  const names = found.slice((paging.page - 1) * METRICS_PAGE, paging.page * METRICS_PAGE);
  return { names, paging, q, isAsked: q !== "" || query.has("page") };
}

/** The page; with a refusal it is a 422, with a fresh token no browser may keep it. */
function page(
  request: Request,
  deps: SiteSettingsDeps,
  actor: Actor,
  asset: string,
  outcome: {
    readonly filled?: Filled;
    readonly issued?: string;
  } = {},
): Response {
  const site = siteHead(deps.db, asset);
  const stored = { url: site.url ?? "", lifecycle: site.lifecycle, family: "", storage: "d1" };
  return htmlPage(
    request,
    <SiteSettingsPage
      shell={deps.shellFor(request, actor)}
      site={site}
      filled={{ values: { ...stored, ...outcome.filled?.values }, errors: outcome.filled?.errors ?? {} }}
      tokens={tokensOf(deps, asset)}
      issued={outcome.issued ?? null}
      overrides={overridesOf(deps.constants.current().constants, asset)}
      metrics={metricsOf(deps.db, asset, new URL(request.url).searchParams)}
    />,
    { status: outcome.filled === undefined ? 200 : 422, noStore: request.method === "POST" },
  );
}
