/** What every list of tokens says of each: when it was made, when it was last used, and how it is revoked. */
import { SureAct } from "../component/form.tsx";
import type { ColumnOf } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, DateOf } from "../component/time.tsx";
import type { TokenRow } from "./token_rows.ts";

/** The columns of that. */
export function tokenColumns<Token extends TokenRow>(props: {
  readonly now: number;
  readonly revokeAt: (token: Token) => string;
  /** Says to a screen reader which one is revoked. */
  readonly which: (token: Token) => string;
  /** What it is, and what becomes of those who use it once it is revoked. */
  readonly what?: string;
  readonly consequence?: string;
  /** What follows "from ASSET_TOKENS". */
  readonly settingNote?: string;
}): readonly ColumnOf<Token>[] {
  const { now } = props;
  return [
    {
      words: "Made",
      label: true,
      cell: ({ issued }) =>
        issued === null ? (
          <span class="dim">–</span>
        ) : (
          <span>
            <DateOf at={issued.at} now={now} /> by{" "}
            <Told class="wrap">{issued.by.replace(/^operator:/, "")}</Told>
          </span>
        ),
    },
    {
      words: "Last used",
      label: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span class="dim">never</span> : <Age at={lastUsedAt} now={now} />,
    },
    {
      words: "Action",
      unseen: true,
      class: "act",
      cell: (token) =>
        token.issued === null ? (
          <span class="dim">
            from <code>ASSET_TOKENS</code>
            {props.settingNote}
          </span>
        ) : (
          <SureAct
            action={props.revokeAt(token)}
            words="Revoke"
            on={`the ${props.what ?? "token"} ${props.which(token)}`}
            consequence={props.consequence ?? "Reports sent with it are refused at once."}
            sure="Revoke it"
          />
        ),
    },
  ];
}
