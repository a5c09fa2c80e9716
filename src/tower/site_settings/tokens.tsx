import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Act, SureAct } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { Age, DateOf } from "../component/time.tsx";
import { siteSettingsPaths } from "./paths.ts";

/** A token of the site as the list shows it: never the token itself. */
export interface SiteToken {
  readonly id: string;
  /** When it was issued and by whom; null for one written in the setting `ASSET_TOKENS`. */
  readonly issued: { readonly at: number; readonly by: string } | null;
  readonly lastUsedAt: number | null;
}

/** The site's tokens: issue, see when last used, revoke. */
export function SiteTokens({
  asset,
  tokens,
  issued,
  now,
}: {
  readonly asset: string;
  readonly tokens: readonly SiteToken[];
  readonly issued: string | null;
  readonly now: number;
}) {
  return (
    <Block
      heading="Tokens"
      id="tokens"
      note="a site may hold two while one replaces the other"
      tools={<Act action={siteSettingsPaths.tokens(asset)} words="Issue a token" />}
    >
      {issued === null ? null : <ShownOnce heading="The new token" kind="site token" secret={issued} />}
      {tokens.length === 0 ? (
        <Empty heading="No token in force">
          <p>The site cannot send reports until it has one.</p>
        </Empty>
      ) : (
        <Table
          fold
          caption="Tokens"
          columns={[
            { words: "Token" },
            { words: "Made" },
            { words: "Last used" },
            { words: "Action", unseen: true },
          ]}
        >
          {tokens.map((token) => (
            <TokenRow asset={asset} token={token} now={now} />
          ))}
        </Table>
      )}
    </Block>
  );
}

function TokenRow({
  asset,
  token,
  now,
}: {
  readonly asset: string;
  readonly token: SiteToken;
  readonly now: number;
}) {
  const { id, issued, lastUsedAt } = token;
  return (
    <Row id={`token-${id}`}>
      <RowHead>
        <Code>{id}</Code>
      </RowHead>
      <Cell label="Made">
        {issued === null ? (
          <span class="dim">–</span>
        ) : (
          <>
            <DateOf at={issued.at} now={now} /> by <Told>{issued.by}</Told>
          </>
        )}
      </Cell>
      <Cell label="Last used">
        {lastUsedAt === null ? <span class="dim">never</span> : <Age at={lastUsedAt} now={now} />}
      </Cell>
      <Cell class="act">
        {issued === null ? (
          <span class="dim">
            from <code>ASSET_TOKENS</code>
          </span>
        ) : (
          <SureAct
            action={siteSettingsPaths.revokeToken(asset, id)}
            words="Revoke"
            on={`the token ${id}`}
            consequence="Reports sent with it are refused at once."
            sure="Revoke it"
          />
        )}
      </Cell>
    </Row>
  );
}
