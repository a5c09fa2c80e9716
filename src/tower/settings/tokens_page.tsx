import type { Scope } from "../../operators/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { type Refused, TextField } from "../component/field.tsx";
import { Form } from "../component/form.tsx";
import { Pager, type Paging } from "../component/pager.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import type { FreshToken } from "../fresh_tokens.ts";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { tokensAddress } from "./address.ts";
import { SettingsPage } from "./settings_page.tsx";
import { tokenColumns } from "./token_columns.tsx";
import type { OperatorTokenRow, SiteTokenRow } from "./token_rows.ts";

export interface TokensPageProps {
  readonly shell: Shell;
  readonly siteTokens: readonly SiteTokenRow[];
  readonly paging: Paging;
  /** The text site tokens are filtered by. */
  readonly q: string;
  readonly operatorTokens: readonly OperatorTokenRow[];
  /** Tokens that were just issued, while they may be shown. */
  readonly issued: readonly FreshToken[];
  readonly errors: Refused;
}

/** Tokens of the sites and of CI: issue, see when last used, revoke. */
export function TokensPage(props: TokensPageProps) {
  const { shell, issued, errors } = props;
  return (
    <SettingsPage
      shell={shell}
      part={paths.tokens}
      title="Tokens"
      note="Only hashes are stored. A revoked token is refused from the next request on. The audit names a token by its id."
    >
      {issued.map((fresh, place) => (
        <>
          <ShownOnce
            heading={
              <>
                The new {fresh.kind} token for <Told class="wrap">{fresh.name}</Told>
              </>
            }
            fresh={fresh}
            back={paths.tokens}
            place={place}
          />
          {fresh.operatorAdded ? (
            <p class="note">
              There was no operator <Told>{fresh.name}</Told>: a service was made, which holds tokens and
              cannot sign in. <a href={paths.operators}>Operators</a> lists it.
            </p>
          ) : null}
        </>
      ))}
      <SiteTokens {...props} error={errors["asset"]} />
      <OperatorTokens tokens={props.operatorTokens} now={shell.now} errors={errors} />
    </SettingsPage>
  );
}

function SiteTokens(props: TokensPageProps & { readonly error: string | undefined }) {
  const { siteTokens, q, shell } = props;
  return (
    <Block
      heading="Site tokens"
      note="for nightly and codebase reports; more than one may be in force, so that one can replace another"
    >
      <div class="filters">
        <Form action={paths.issueSiteToken} class="inline">
          <TextField
            name="asset"
            label="Issue a token for a site"
            error={props.error}
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
      <DataTable
        fold
        caption="Site tokens"
        items={siteTokens}
        id={({ id }) => `token-${id}`}
        columns={[
          {
            words: "Site",
            names: true,
            cell: ({ asset }) => <a href={paths.site(asset)}>{asset}</a>,
          },
          { words: "Id", label: true, cell: ({ id }) => <Code>{id}</Code> },
          ...tokenColumns<SiteTokenRow>({
            now: shell.now,
            revokeAt: ({ id }) => paths.revokeSiteToken(id),
            which: ({ asset, id }) => `${id} of ${asset}`,
            settingNote: "; change the setting to revoke it",
          }),
        ]}
        empty={
          <Empty heading={q === "" ? "No site token yet" : "No token matches"}>
            <p>
              {q === ""
                ? "Adding a site issues its first one."
                : "No site whose identifier holds this text has a token."}
            </p>
          </Empty>
        }
      />
      <Pager
        paging={props.paging}
        what="tokens"
        href={(page) => `${paths.tokens}${tokensAddress.search({ q, page })}`}
      />
    </Block>
  );
}

function OperatorTokens(props: {
  readonly tokens: readonly OperatorTokenRow[];
  readonly now: number;
  readonly errors: Refused;
}) {
  return (
    <Block heading="Operator API tokens" note="for CI: deploys on the timeline, the ledger, reading">
      <DataTable
        fold
        caption="Operator API tokens"
        items={props.tokens}
        id={({ id }) => `token-${id}`}
        columns={[
          { words: "Operator", names: true, cell: ({ operator }) => <Told class="wrap">{operator}</Told> },
          { words: "Id", label: true, cell: ({ id }) => <Code>{id}</Code> },
          { words: "Scopes", label: true, cell: ({ scopes }) => <Code>{scopes.join(", ")}</Code> },
          ...tokenColumns<OperatorTokenRow>({
            now: props.now,
            revokeAt: ({ id }) => paths.revokeOperatorToken(id),
            which: ({ operator, id }) => `${id} of ${operator}`,
          }),
        ]}
        empty={
          <Empty heading="No operator token yet">
            <p>CI needs one to post deploys to the timeline. It can do what its scopes name, nothing else.</p>
          </Empty>
        }
      />
      <NewOperatorToken errors={props.errors} />
    </Block>
  );
}

/** What each scope allows. */
const SCOPE_MEANINGS: readonly (readonly [scope: Scope, meaning: string])[] = [
  ["annotations", "put deploys and other changes on the timeline"],
  ["ledger", "add ledger rows"],
  ["health:read", "read the health of the integrations"],
  ["read", "read everything stored, and the service's own figures"],
];

function NewOperatorToken({ errors }: { readonly errors: Refused }) {
  return (
    <Form action={paths.issueOperatorToken} class="stack tight form">
      <h3>Issue an operator token</h3>
      <TextField
        id="operator"
        name="name"
        label="Name"
        error={errors["name"]}
        help="A person who signs in, or a service such as ci, which is made and cannot sign in."
        maxlength={200}
        autocomplete="off"
        autocapitalize="none"
        required
      />
      <fieldset>
        <legend>Scopes</legend>
        <div class="pick lines">
          {SCOPE_MEANINGS.map(([scope, meaning]) => (
            <label>
              <input type="checkbox" name="scopes" value={scope} />
              <code>{scope}</code> {meaning}
            </label>
          ))}
        </div>
        {errors["scopes"] === undefined ? null : <small class="bad">{errors["scopes"]}</small>}
      </fieldset>
      <div>
        <button class="btn">Issue</button>
      </div>
    </Form>
  );
}
