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
import type { Refused } from "../component/field.tsx";
import { pageOf } from "../component/pager.tsx";
import { confirmed } from "../confirm/confirmed_form.tsx";
import { type FreshTokens, tokenKindOf } from "../fresh_tokens.ts";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import type { Visit } from "../kit/visit.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { SignedIn } from "../session.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";
import { tokensAddress } from "./address.ts";
import { revoked } from "./revoked.ts";
import { operatorTokenRows, siteTokenRows } from "./token_rows.ts";
import { TokensPage } from "./tokens_page.tsx";

/** What the settings pages need. */
export interface SettingsDeps extends DoorDeps {
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
  readonly freshTokens: FreshTokens;
}

type TokensVisit = Pick<
  Visit<SignedIn, unknown, typeof tokensAddress.usual, unknown, unknown>,
  "shell" | "query" | "who" | "now" | "page"
>;

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
        return page(deps, visit, { asset: error });
      }
      const { token } = await issueSiteToken(deps, asset, visit.by);
      deps.freshTokens.keep(visit.who, { kind: "site", name: asset, token }, visit.now);
      return seeOther(paths.tokens);
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
        return page(deps, visit, errors);
      }
      const { token, operatorAdded } = await issueServiceToken(deps, name, scopes, visit.by);
      deps.freshTokens.keep(visit.who, { kind: "operator", name, token, operatorAdded }, visit.now);
      return seeOther(paths.tokens);
    }),
    own.post(paths.tokenReceipt, {}, ({ form, who }) => {
      const kind = tokenKindOf(form.get("kind"));
      deps.freshTokens.forget(who, { kind, name: form.get("name") ?? "" });
      return seeOther(ownPath(form.get("to")));
    }),
    post(paths.revokeSiteToken, {}, async ({ params: { id }, by }) =>
      revoked(await revokeSiteToken(deps, id, by), paths.tokens),
    ),
    post(paths.revokeOperatorToken, {}, async ({ params: { id }, by }) =>
      revoked(await revokeApiToken(deps, id, by), paths.tokens),
    ),
  ]);
}

/** With a sentence for each field that was refused, where one was. */
function page(
  { store, siteTokens, apiTokens, freshTokens }: SettingsDeps,
  { shell, query, who, now, page: answer }: TokensVisit,
  errors?: Refused,
): Response {
  const found = pageOf(siteTokenRows(store.db, siteTokens, { q: query.q }), query.page, PAGE_SIZE);
  const issued = freshTokens.list(who, ["site", "operator"], now);
  return answer(
    <TokensPage
      shell={shell}
      siteTokens={found.items}
      paging={found.paging}
      q={query.q}
      operatorTokens={operatorTokenRows(store.db, apiTokens)}
      issued={issued}
      errors={errors ?? {}}
    />,
    { status: errors === undefined ? 200 : 422, noStore: issued.length > 0 },
  );
}
