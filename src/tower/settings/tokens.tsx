/** `/settings/tokens`: issuing and revoking tokens of sites and of operators. */

import type { Scope } from "../../access/access.ts";
import { type ApiTokenBook, issueServiceToken, revokeApiToken } from "../../access/api_tokens.ts";
import { operatorNameOf, scopesOf } from "../../access/operators.ts";
import { issueSiteToken, revokeSiteToken, type SiteTokenBook } from "../../sites/site_tokens.ts";
import { hasAsset, nearSites } from "../../sites/sites.ts";
import { type FreshTokens, tokenKindOf } from "../fresh_tokens.ts";
import { confirmed } from "../kit/confirmed_form.tsx";
import {
  Form,
  type Refused,
  RefusedNote,
  SearchForm,
  ShownOnce,
  TextField,
  TickFields,
} from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Block, Empty, List, Pager, pageOf } from "../kit/list.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { ownPath, paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";
import type { DoorDeps } from "./sign_in.tsx";
import {
  type OperatorTokenRow,
  operatorTokenRows,
  revoked,
  type SiteTokenRow,
  siteTokenRows,
  tokenColumns,
  tokensAddress,
} from "./token_list.tsx";

/** What each scope allows. */
const SCOPE_MEANINGS: readonly (readonly [scope: Scope, meaning: string])[] = [
  ["annotations", "add deploys and other changes to the timeline"],
  ["ledger", "add ledger rows"],
  ["health:read", "read integration health"],
  ["read", "read all data and service metrics"],
];

interface TokensDeps extends DoorDeps {
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
  readonly freshTokens: FreshTokens;
}

type TokensVisit = Pick<
  Visit<SignedIn, unknown, typeof tokensAddress.usual, unknown, unknown>,
  "query" | "who" | "now" | "page"
>;

const PAGE_SIZE = 50;
const query = { query: tokensAddress };

export function tokenRoutes(deps: TokensDeps) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.tokens, query, (visit) => page(deps, visit)),
    post(paths.issueSiteToken, query, async (visit) => {
      const asset = (visit.form.get("asset") ?? "").trim();
      if (!hasAsset(deps.store.db, asset)) {
        const near = nearSites(deps.store.db, asset);
        const meant = near.length === 0 ? "Add it under Sites first." : `Did you mean ${near.join(" or ")}?`;
        return page(deps, visit, { asset: `There is no site with this identifier. ${meant}` });
      }
      const { token } = await issueSiteToken(deps, asset, visit.by);
      deps.freshTokens.keep(visit.who, { kind: "site", name: asset, token }, visit.now);
      return seeOther(paths.tokens);
    }),
    post(paths.issueOperatorToken, query, async (visit) => {
      const name = operatorNameOf((visit.form.get("name") ?? "").trim());
      const scopes = scopesOf(visit.form.getAll("scopes"));
      if (name === undefined || scopes === undefined) {
        return page(deps, visit, {
          name:
            name === undefined
              ? "Use at most 64 letters, digits, spaces or . _ @ + ' -, for example ci."
              : undefined,
          scopes: scopes === undefined ? "Choose at least one." : undefined,
        });
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

function page(deps: TokensDeps, { query: asked, who, now, page: answer }: TokensVisit, errors?: Refused) {
  const issued = deps.freshTokens.list(who, ["site", "operator"], now);
  return answer(
    <SettingsPage
      part={paths.tokens}
      title="Tokens"
      note="Only hashes are stored. A revoked token is refused at once."
    >
      <RefusedNote errors={errors ?? {}} words="Couldn't issue the token. Check the highlighted field." />
      {issued.map((fresh, place) => (
        <>
          <ShownOnce
            heading={["The new ", fresh.kind, " token for ", <Told class="wrap">{fresh.name}</Told>]}
            fresh={fresh}
            back={paths.tokens}
            place={place}
          />
          {fresh.operatorAdded ? (
            <p class="note">
              <Told>{fresh.name}</Told> was added to <a href={paths.operators}>Operators</a> as a service. It
              cannot sign in.
            </p>
          ) : null}
        </>
      ))}
      <SiteTokens deps={deps} query={asked} error={errors?.["asset"]} />
      <OperatorTokens deps={deps} errors={errors ?? {}} />
    </SettingsPage>,
    { status: errors === undefined ? 200 : 422, noStore: issued.length > 0 },
  );
}

function SiteTokens(props: {
  readonly deps: TokensDeps;
  readonly query: typeof tokensAddress.usual;
  readonly error: string | undefined;
}) {
  const { deps, query: asked, error } = props;
  const { q } = asked;
  const { items, paging } = pageOf(
    siteTokenRows(deps.store.db, deps.siteTokens, { q }),
    asked.page,
    PAGE_SIZE,
  );
  return (
    <Block heading="Site tokens" note="for nightly and codebase reports">
      <div class="filters">
        <Form action={paths.issueSiteToken} class="inline">
          <TextField
            name="asset"
            label="Issue a token for a site"
            error={error}
            class="mono"
            value={q}
            placeholder="Site identifier"
            maxlength={128}
            autocomplete="off"
            required
          />
          <button class="btn">Issue</button>
        </Form>
        <SearchForm action={paths.tokens} words="Filter by site" value={q} />
      </div>
      <List
        of="Site tokens"
        items={items}
        id={({ id }) => `token-${id}`}
        columns={[
          ["Site", ({ asset }) => <a href={paths.site(asset)}>{asset}</a>],
          ["Id", ({ id }) => <Code>{id}</Code>],
          ...tokenColumns<SiteTokenRow>({
            revokeAt: ({ id }) => paths.revokeSiteToken(id),
            which: ({ asset, id }) => `${id} of ${asset}`,
            settingNote: " (change the setting to revoke)",
          }),
        ]}
        empty={
          <Empty heading={q === "" ? "No site token yet" : "No token matches"}>
            <p>{q === "" ? "Adding a site issues its first one." : "No such site has a token."}</p>
          </Empty>
        }
      />
      <Pager
        paging={paging}
        what="tokens"
        href={(page) => `${paths.tokens}${tokensAddress.search({ q, page })}`}
      />
    </Block>
  );
}

function OperatorTokens(props: { readonly deps: TokensDeps; readonly errors: Refused }) {
  const { deps, errors } = props;
  return (
    <Block heading="Operator API tokens" note="for CI and other programs">
      <List
        of="Operator API tokens"
        items={operatorTokenRows(deps.store.db, deps.apiTokens)}
        id={({ id }) => `token-${id}`}
        columns={[
          ["Operator", ({ operator }) => <Told class="wrap">{operator}</Told>],
          ["Id", ({ id }) => <Code>{id}</Code>],
          ["Scopes", ({ scopes }) => <Code>{scopes.join(", ")}</Code>],
          ...tokenColumns<OperatorTokenRow>({
            revokeAt: ({ id }) => paths.revokeOperatorToken(id),
            which: ({ operator, id }) => `${id} of ${operator}`,
          }),
        ]}
        empty={
          <Empty heading="No operator token yet">
            <p>CI needs one to post deploys to the timeline.</p>
          </Empty>
        }
      />
      <Form action={paths.issueOperatorToken} class="stack tight form">
        <h3>Issue an operator token</h3>
        <TextField
          id="operator"
          name="name"
          label="Name"
          error={errors["name"]}
          help="A person, or a new service such as ci"
          maxlength={200}
          autocomplete="off"
          autocapitalize="none"
          required
        />
        <TickFields
          name="scopes"
          legend="Scopes"
          error={errors["scopes"]}
          choices={SCOPE_MEANINGS.map(([scope, meaning]) => [scope, [<code>{scope}</code>, " ", meaning]])}
        />
        <div>
          <button class="btn">Issue</button>
        </div>
      </Form>
    </Block>
  );
}
