/** What every list of tokens says of each: when it was made, when it was last used, and how it is revoked. */
import { SureAct } from "../component/form.tsx";
import { Cell, type Column } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, DateOf } from "../component/time.tsx";
import type { TokenRow } from "./token_rows.ts";

/** The headings of those cells. */
export const TOKEN_COLUMNS: readonly Column[] = [
  { words: "Made" },
  { words: "Last used" },
  { words: "Action", unseen: true },
];

/** The cells of a token. `of` says to a screen reader which one is revoked. */
export function TokenCells(props: {
  readonly token: TokenRow;
  readonly now: number;
  readonly revokeAt: string;
  readonly of: string;
  /** What follows "from ASSET_TOKENS". */
  readonly settingNote?: string;
}) {
  const { token, now } = props;
  const { issued, lastUsedAt } = token;
  return (
    <>
      <Cell label="Made">
        {issued === null ? (
          <span class="dim">–</span>
        ) : (
          <span>
            <DateOf at={issued.at} now={now} /> by <Told class="wrap">{issued.by}</Told>
          </span>
        )}
      </Cell>
      <Cell label="Last used">
        {lastUsedAt === null ? <span class="dim">never</span> : <Age at={lastUsedAt} now={now} />}
      </Cell>
      <Cell class="act">
        {issued === null ? (
          <span class="dim">
            from <code>ASSET_TOKENS</code>
            {props.settingNote}
          </span>
        ) : (
          <SureAct
            action={props.revokeAt}
            words="Revoke"
            on={`the token ${props.of}`}
            consequence="Reports sent with it are refused at once."
            sure="Revoke it"
          />
        )}
      </Cell>
    </>
  );
}
