import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Act } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { Row, RowHead, Table } from "../component/table.tsx";
import { Code } from "../component/text.tsx";
import { paths } from "../paths.ts";
import { TOKEN_COLUMNS, TokenCells } from "../settings/token_cells.tsx";
import type { TokenRow } from "../settings/token_rows.ts";

/** The site's tokens: issue, see when last used, revoke. */
export function SiteTokens({
  asset,
  tokens,
  issued,
  now,
}: {
  readonly asset: string;
  readonly tokens: readonly TokenRow[];
  readonly issued: string | undefined;
  readonly now: number;
}) {
  return (
    <Block
      heading="Tokens"
      id="tokens"
      note="a site may hold two while one replaces the other"
      tools={<Act action={paths.issueTokenOfSite(asset)} words="Issue a token" />}
    >
      {issued === undefined ? null : <ShownOnce heading="The new token" kind="site token" secret={issued} />}
      {tokens.length === 0 ? (
        <Empty heading="No token in force">
          <p>The site cannot send reports until it has one.</p>
        </Empty>
      ) : (
        <Table fold caption="Tokens" columns={[{ words: "Token" }, ...TOKEN_COLUMNS]}>
          {tokens.map((token) => (
            <Row id={`token-${token.id}`}>
              <RowHead>
                <Code>{token.id}</Code>
              </RowHead>
              <TokenCells
                token={token}
                now={now}
                revokeAt={paths.revokeTokenOfSite(asset, token.id)}
                of={token.id}
              />
            </Row>
          ))}
        </Table>
      )}
    </Block>
  );
}
