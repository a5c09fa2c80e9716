import {
  hasAsset,
  issueSiteToken,
  nearSites,
  revokeSiteToken,
  type SiteTokenBook,
} from "../../assets/mod.ts";
import {
  type ApiTokenBook,
  issueServiceToken,
  operatorNameOf,
  revokeApiToken,
  scopesOf,
} from "../../operators/mod.ts";
import { pageOf } from "../component/pager.tsx";
import { confirmed } from "../confirm/confirmed_form.tsx";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";
import { tokensAddress } from "./address.ts";
import { revoked } from "./revoked.ts";
import { operatorTokenRows, siteTokenRows } from "./token_rows.ts";
import { type TokensOutcome, TokensPage } from "./tokens_page.tsx";

/** What the settings pages need. */
export interface SettingsDeps extends DoorDeps {
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
}

const PAGE_SIZE = 50;
const query = { query: tokensAddress };

/** `/settings/tokens`: issue and revoke tokens of sites and of operators. */
export function tokenRoutes(deps: SettingsDeps) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.tokens, query, (visit) => page(deps, visit)),
    post(paths.issueSiteToken, query, async (visit) => {
      const asset = (visit.form.get("asset") ?? "").trim();
      if (!hasAsset(deps.store.db, asset)) {
        const near = nearSites(deps.store.db, asset);
        const meant = near.length === 0 ? "Add it under Sites first." : `Near it: ${near.join(", ")}.`;
        const error = `There is no site with this identifier. ${meant}`;
        return visit.page(page(deps, visit, { errors: { asset: error } }), { status: 422 });
      }
      const { token } = await issueSiteToken(deps, asset, visit.by);
      return page(deps, visit, { issued: { kind: "site", name: asset, token } });
    }),
    post(paths.issueOperatorToken, query, async (visit) => {
      const name = operatorNameOf((visit.form.get("name") ?? "").trim());
      const scopes = scopesOf(visit.form.getAll("scopes"));
      if (name === undefined || scopes === undefined) {
        const errors = {
          name:
            name === undefined
              ? "A name holds letters, digits, spaces and . _ @ + ' - only, at most 64."
              : undefined,
          scopes: scopes === undefined ? "Choose at least one." : undefined,
        };
        return visit.page(page(deps, visit, { errors }), { status: 422 });
      }
      const { token, operatorAdded } = await issueServiceToken(deps, name, scopes, visit.by);
      return page(deps, visit, { issued: { kind: "operator", name, token, operatorAdded } });
    }),
    post(paths.revokeSiteToken, {}, async ({ params: { id }, by }) =>
      revoked(await revokeSiteToken(deps, id, by), paths.tokens),
    ),
    post(paths.revokeOperatorToken, {}, async ({ params: { id }, by }) =>
      revoked(await revokeApiToken(deps, id, by), paths.tokens),
    ),
  ]);
}

function page(
  { store, siteTokens, apiTokens }: SettingsDeps,
  { shell, query }: { readonly shell: Shell; readonly query: typeof tokensAddress.usual },
  outcome: TokensOutcome = {},
) {
  const found = pageOf(siteTokenRows(store.db, siteTokens, { q: query.q }), query.page, PAGE_SIZE);
  return (
    <TokensPage
      shell={shell}
      siteTokens={found.items}
      paging={found.paging}
      q={query.q}
      operatorTokens={operatorTokenRows(store.db, apiTokens)}
      {...outcome}
    />
  );
}
