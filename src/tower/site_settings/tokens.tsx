import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Act } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { DataTable } from "../component/table.tsx";
import { Code } from "../component/text.tsx";
import type { FreshToken } from "../fresh_tokens.ts";
import { paths } from "../paths.ts";
import { tokenColumns } from "../settings/token_columns.tsx";
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
  readonly issued: FreshToken | undefined;
  readonly now: number;
}) {
  return (
    <Block
      heading="Tokens"
      id="tokens"
      note="more than one may be in force, so that one can replace another"
      tools={<Act action={paths.issueTokenOfSite(asset)} words="Issue a token" />}
    >
      {issued === undefined ? null : (
        <ShownOnce heading="The new token" fresh={issued} back={paths.siteSettings(asset)} />
      )}
      <DataTable
        fold
        caption="Tokens"
        items={tokens}
        id={({ id }) => `token-${id}`}
        columns={[
          { words: "Token", names: true, cell: ({ id }) => <Code>{id}</Code> },
          ...tokenColumns({
            now,
            revokeAt: ({ id }) => paths.revokeTokenOfSite(asset, id),
            which: ({ id }) => id,
          }),
        ]}
        empty={
          <Empty heading="No token in force">
            <p>The site cannot send reports until it has one.</p>
          </Empty>
        }
      />
    </Block>
  );
}
