/** `/settings/tokens`: issuing and revoking tokens of operators. A site's own are on its settings (`site/settings_routes.tsx`). */

import type { Scope } from "../../access/access.ts";
import { issueServiceToken } from "../../access/api_tokens.ts";
import { operatorNameOf, scopesOf } from "../../access/operators.ts";
import { revokeToken } from "../../access/tokens.ts";
import { afterShown, tokenKindOf } from "../fresh_tokens.ts";
import type { PageGround } from "../ground.ts";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Form, type Refused, RefusedNote, ShownOnce, TextField, TickFields } from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { ownPath, paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";
import { type OperatorTokenRow, operatorTokenRows, revoked, tokenColumns } from "./token_list.tsx";

/** What each scope allows. */
const SCOPE_MEANINGS: readonly (readonly [scope: Scope, meaning: string])[] = [
  ["annotations", "add deploys and other changes to the timeline"],
  ["ledger", "add ledger rows"],
  ["health:read", "read integration health"],
  ["read", "read all data and service metrics"],
];

type TokensVisit = Pick<Visit<SignedIn, unknown, unknown, unknown, unknown>, "who" | "now" | "page">;

export function tokenRoutes(deps: PageGround) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.tokens, {}, (visit) => page(deps, visit)),
    post(paths.issueOperatorToken, {}, async (visit) => {
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
      await deps.freshTokens.issue(
        visit,
        { kind: "operator", name },
        () => issueServiceToken(deps, name, scopes, visit.by),
        ({ token }) => String(deps.apiTokens.find(token)?.scopes) === String(scopes),
      );
      return seeOther(paths.tokens);
    }),
    own.post(paths.tokenReceipt, {}, ({ form, who }) => {
      const kind = tokenKindOf(form.get("kind"));
      deps.freshTokens.forget(who, { kind, name: form.get("name") ?? "" });
      return seeOther(ownPath(form.get("to")));
    }),
    post(paths.revokeOperatorToken, {}, async ({ params: { id }, by }) =>
      revoked((await revokeToken(deps.writer, deps.apiTokens, id, by)) !== undefined, paths.tokens),
    ),
  ]);
}

function page(deps: PageGround, { who, now, page: answer }: TokensVisit, errors: Refused = {}) {
  const issued = deps.freshTokens.list(who, ["operator"], now);
  return answer(
    <SettingsPage
      part={paths.tokens}
      title="Tokens"
      note="For CI and other programs. A site's tokens are on its Settings tab. Only hashes are stored."
    >
      <RefusedNote errors={errors} words="Couldn't issue the token. Check the highlighted field." />
      {issued.map((fresh, place) => (
        <>
          <ShownOnce
            heading={["The new token for ", <Told class="wrap">{fresh.name}</Told>]}
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
      <Block heading="Operator API tokens">
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
              consequence: "Requests with it are refused at once.",
            }),
          ]}
          empty={
            <Empty heading="No operator token yet">
              <p>CI needs one to post deploys to the timeline.</p>
            </Empty>
          }
        />
        <Form
          action={paths.issueOperatorToken}
          class="stack tight form"
          send="Issue"
          hidden={afterShown(issued[0])}
          isMinor
        >
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
        </Form>
      </Block>
    </SettingsPage>,
    { status: Object.keys(errors).length === 0 ? 200 : 422, noStore: issued.length > 0 },
  );
}
