import { Elysia } from "elysia";
import { hasAsset, issueSiteToken, revokeSiteToken, type SiteTokenBook } from "../../assets/mod.ts";
import {
  type ApiTokenBook,
  issueServiceToken,
  operatorNameOf,
  revokeApiToken,
  scopesOf,
} from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import { pagingOf } from "../component/pager.tsx";
import { confirmedForm } from "../confirm/confirmed_form.tsx";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";
import { operatorTokenRows, SCOPE_MEANINGS, siteTokenRows } from "./token_rows.ts";
import { type IssuedToken, TokensPage, type TokensPageProps } from "./tokens_page.tsx";

/** What the settings pages need. */
export interface SettingsDeps extends DoorDeps {
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
}

const PAGE_SIZE = 50;
/** What a filter may hold: no identifier is longer. */
const LONGEST_Q = 128;

/** `/settings/tokens`: issue and revoke tokens of sites and of operators. */
export function tokenRoutes(deps: SettingsDeps) {
  return new Elysia({ name: "tokens" })
    .get(paths.tokens, ({ request }) => page(request, deps, deps.sessions.page(request), {}))
    .post(paths.issueSiteToken, ({ request }) => issueForSite(request, deps), { parse: "none" })
    .post(paths.issueOperatorToken, ({ request }) => issueForOperator(request, deps), { parse: "none" })
    .post(
      "/settings/tokens/site/:id/revocation",
      ({ request, params: { id } }) => revoke(request, deps, "site", id),
      {
        parse: "none",
      },
    )
    .post(
      "/settings/tokens/operator/:id/revocation",
      ({ request, params: { id } }) => revoke(request, deps, "operator", id),
      {
        parse: "none",
      },
    );
}

async function issueForSite(request: Request, deps: SettingsDeps): Promise<Response> {
  const { actor, form } = await confirmedForm(request, deps);
  const asset = (form.get("asset") ?? "").trim();
  if (!hasAsset(deps.store.db, asset)) {
    const error = "There is no site with this identifier. Add it under Sites first.";
    return page(request, deps, actor, { errors: { asset: error } });
  }
  const { token } = await issueSiteToken(deps, asset, { actor: actor.id, now: deps.clock.now() });
  return page(request, deps, actor, { issued: { kind: "site", name: asset, token } });
}

async function issueForOperator(request: Request, deps: SettingsDeps): Promise<Response> {
  const { actor, form } = await confirmedForm(request, deps);
  const name = operatorNameOf((form.get("name") ?? "").trim());
  const scopes = scopesOf(form.getAll("scopes"));
  if (name === undefined || scopes === undefined) {
    const errors = {
      ...(name === undefined
        ? { name: "A name holds letters, digits, spaces and . _ @ + ' - only, at most 64." }
        : {}),
      ...(scopes === undefined ? { scopes: "Choose at least one." } : {}),
    };
    return page(request, deps, actor, { errors });
  }
  const { token } = await issueServiceToken(deps, name, scopes, { actor: actor.id, now: deps.clock.now() });
  return page(request, deps, actor, { issued: { kind: "operator", name, token } });
}

async function revoke(
  request: Request,
  deps: SettingsDeps,
  kind: "site" | "operator",
  id: string,
): Promise<Response> {
  const { actor } = await confirmedForm(request, deps);
  const by = { actor: actor.id, now: deps.clock.now() };
  const isRevoked =
    kind === "site" ? await revokeSiteToken(deps, id, by) : await revokeApiToken(deps, id, by);
  if (!isRevoked)
    throw new Problem("not-found", "No such token is in force; it may have been revoked before.");
  return seeOther(`${paths.tokens}?done=token-revoked`);
}

/** The page; with a refusal it is a 422, with a fresh token no browser may keep it. */
function page(
  request: Request,
  deps: SettingsDeps,
  actor: Actor,
  outcome: { readonly issued?: IssuedToken; readonly errors?: TokensPageProps["errors"] },
): Response {
  const query = new URL(request.url).searchParams;
  const q = (query.get("q") ?? "").trim().slice(0, LONGEST_Q);
  const rows = siteTokenRows(deps.store.db, deps.siteTokens, q);
  const wanted = Number(query.get("page") ?? 1);
  const paging = pagingOf(rows.length, Number.isSafeInteger(wanted) ? wanted : 1, PAGE_SIZE);
  return htmlPage(
    request,
    <TokensPage
      shell={deps.shellFor(request, actor)}
      siteTokens={rows.slice((paging.page - 1) * PAGE_SIZE, paging.page * PAGE_SIZE)}
      paging={paging}
      q={q}
      operatorTokens={operatorTokenRows(deps.store.db)}
      scopes={SCOPE_MEANINGS}
      issued={outcome.issued ?? null}
      errors={outcome.errors ?? {}}
    />,
    { status: outcome.errors === undefined ? 200 : 422, noStore: outcome.issued !== undefined },
  );
}
