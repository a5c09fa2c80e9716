import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { TextField } from "../component/field.tsx";
import { Form, SureAct } from "../component/form.tsx";
import { Pager, type Paging } from "../component/pager.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { Age, DateOf } from "../component/time.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { SettingsTabs } from "./tabs.tsx";

/** A site token as the list shows it: never the token itself. */
export interface SiteTokenRow {
  readonly id: string;
  readonly asset: string;
  /** Issued here, or written in `ASSET_TOKENS`, which only the setting can change. */
  readonly source: "issued" | "setting";
  readonly createdAt: number | null;
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
}

/** An operator API token as the list shows it. */
export interface OperatorTokenRow {
  readonly id: string;
  readonly operator: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUsedAt: number | null;
}

/** A token that was just issued. It is shown this once and must not be stored by the browser. */
export interface IssuedToken {
  readonly kind: "site" | "operator";
  readonly name: string;
  readonly token: string;
}

export interface TokensPageProps {
  readonly shell: Shell;
  readonly siteTokens: readonly SiteTokenRow[];
  readonly paging: Paging;
  /** The text site tokens are filtered by. */
  readonly q: string;
  readonly operatorTokens: readonly OperatorTokenRow[];
  readonly scopes: readonly (readonly [scope: string, meaning: string])[];
  readonly issued: IssuedToken | null;
  readonly errors: { readonly asset?: string; readonly name?: string; readonly scopes?: string };
}

/** Tokens of the sites and of CI: issue, see when last used, revoke. */
export function TokensPage(props: TokensPageProps) {
  const { shell, issued } = props;
  return (
    <Page shell={shell} title="Tokens" current="settings">
      <div class="stack tight">
        <h1>Tokens</h1>
        <SettingsTabs current="tokens" />
        <p class="note">Only hashes are stored. A revoked token is refused from the next request on.</p>
      </div>
      {issued === null ? null : (
        <ShownOnce
          heading={
            <>
              The new {issued.kind} token for <Told>{issued.name}</Told>
            </>
          }
          kind={`${issued.kind} token`}
          secret={issued.token}
        />
      )}
      <SiteTokens props={props} />
      <OperatorTokens props={props} />
    </Page>
  );
}

function Revoke({
  kind,
  id,
  of,
}: {
  readonly kind: "site" | "operator";
  readonly id: string;
  readonly of: string;
}) {
  return (
    <SureAct
      action={kind === "site" ? paths.revokeSiteToken(id) : paths.revokeOperatorToken(id)}
      words="Revoke"
      on={`the token of ${of}`}
      consequence="Reports sent with it are refused at once."
      sure="Revoke it"
    />
  );
}

function Made(props: { readonly at: number | null; readonly by: string | null; readonly now: number }) {
  if (props.at === null) return <span class="dim">–</span>;
  return (
    <span>
      <DateOf at={props.at} now={props.now} />
      {props.by === null ? null : (
        <>
          {" "}
          by <Told class="wrap">{props.by}</Told>
        </>
      )}
    </span>
  );
}

function LastUsed({ at, now }: { readonly at: number | null; readonly now: number }) {
  return at === null ? <span class="dim">never</span> : <Age at={at} now={now} />;
}

function tokensHref(q: string, page: number): string {
  const params = new URLSearchParams();
  if (q !== "") params.set("q", q);
  if (page > 1) params.set("page", String(page));
  const text = params.toString();
  return text === "" ? paths.tokens : `${paths.tokens}?${text}`;
}

function SiteTokens({ props }: { readonly props: TokensPageProps }) {
  const { siteTokens, q, shell } = props;
  return (
    <Block
      heading="Site tokens"
      note="for nightly and codebase reports; a site may hold two while one replaces the other"
    >
      <div class="filters">
        <Form action={paths.issueSiteToken} class="inline">
          <TextField
            name="asset"
            label="Issue a token for a site"
            error={props.errors.asset}
            class="mono"
            value={q}
            placeholder="Site identifier"
            maxlength={128}
            autocomplete="off"
            required
          />
          <button class="btn">Issue</button>
        </Form>
        <form method="get" action={paths.tokens} class="search" role="search">
          <label class="vh" for="q">
            Filter by site
          </label>
          <input id="q" name="q" type="search" value={q} placeholder="Filter by site" autocomplete="off" />
          <button class="btn">Filter</button>
        </form>
      </div>
      {siteTokens.length === 0 ? (
        <Empty heading={q === "" ? "No site token yet" : "No token matches"}>
          <p>
            {q === ""
              ? "Adding a site issues its first one."
              : "No site whose identifier holds this text has a token."}
          </p>
        </Empty>
      ) : (
        <Table
          fold
          caption="Site tokens"
          columns={[
            { words: "Site" },
            { words: "Made" },
            { words: "Last used" },
            { words: "Action", unseen: true },
          ]}
        >
          {siteTokens.map((token) => (
            <Row id={`token-${token.id}`}>
              <RowHead>
                <a href={paths.site(token.asset)}>{token.asset}</a>
              </RowHead>
              <Cell label="Made">
                <Made at={token.createdAt} by={token.createdBy} now={shell.now} />
              </Cell>
              <Cell label="Last used">
                <LastUsed at={token.lastUsedAt} now={shell.now} />
              </Cell>
              <Cell class="act">
                {token.source === "setting" ? (
                  <span class="dim">
                    from <code>ASSET_TOKENS</code>; change the setting to revoke it
                  </span>
                ) : (
                  <Revoke kind="site" id={token.id} of={token.asset} />
                )}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Pager paging={props.paging} what="tokens" href={(page) => tokensHref(q, page)} />
    </Block>
  );
}

function OperatorTokens({ props }: { readonly props: TokensPageProps }) {
  const { operatorTokens, shell } = props;
  return (
    <Block heading="Operator API tokens" note="for CI: deploys on the timeline, the ledger, reading">
      {operatorTokens.length === 0 ? (
        <Empty heading="No operator token yet">
          <p>CI needs one to post deploys to the timeline. It can do what its scopes name, nothing else.</p>
        </Empty>
      ) : (
        <Table
          fold
          caption="Operator API tokens"
          columns={[
            { words: "Operator" },
            { words: "Scopes" },
            { words: "Made" },
            { words: "Last used" },
            { words: "Action", unseen: true },
          ]}
        >
          {operatorTokens.map((token) => (
            <Row id={`token-${token.id}`}>
              <RowHead>
                <Told class="wrap">{token.operator}</Told>
              </RowHead>
              <Cell label="Scopes">
                <Code>{token.scopes.join(", ")}</Code>
              </Cell>
              <Cell label="Made">
                <Made at={token.createdAt} by={token.createdBy} now={shell.now} />
              </Cell>
              <Cell label="Last used">
                <LastUsed at={token.lastUsedAt} now={shell.now} />
              </Cell>
              <Cell class="act">
                <Revoke kind="operator" id={token.id} of={token.operator} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <NewOperatorToken props={props} />
    </Block>
  );
}

function NewOperatorToken({ props }: { readonly props: TokensPageProps }) {
  const { errors } = props;
  return (
    <Form action={paths.issueOperatorToken} class="stack tight form">
      <h3>Issue an operator token</h3>
      <TextField
        id="operator"
        name="name"
        label="Name"
        error={errors.name}
        help="A person who signs in, or a service such as ci, which is made and cannot sign in."
        maxlength={200}
        autocomplete="off"
        autocapitalize="none"
        required
      />
      <fieldset>
        <legend>Scopes</legend>
        <div class="pick">
          {props.scopes.map(([scope, meaning]) => (
            <label>
              <input type="checkbox" name="scopes" value={scope} />
              <code>{scope}</code> {meaning}
            </label>
          ))}
        </div>
        {errors.scopes === undefined ? null : <small class="bad">{errors.scopes}</small>}
      </fieldset>
      <div>
        <button class="btn">Issue</button>
      </div>
    </Form>
  );
}
