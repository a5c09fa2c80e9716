/** Tokens in force as lists show them: when each was added and last used, and how it is revoked. */

import { type ApiTokenBook, listApiTokens } from "../../access/api_tokens.ts";
import { Problem } from "../../base/problem.ts";
import { listTokens, namedTokenId, type SiteTokenBook, settingTokenUses } from "../../sites/site_tokens.ts";
import type { Db } from "../../store/store.ts";
import { withNotice } from "../keyboard.tsx";
import { SureAct } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import type { Column } from "../kit/list.tsx";
import { Age, DateOf } from "../kit/proof.tsx";
import { seeOther } from "../session.ts";

/** The columns of any token. */
export interface TokenRow {
  readonly id: string;
  /** When it was issued and by whom; null for one written in `ASSET_TOKENS`, which only the setting can change. */
  readonly issued: { readonly at: number; readonly by: string } | null;
  readonly lastUsedAt: number | null;
}

/** A token that CI sends and reads with. */
export type OperatorTokenRow = ReturnType<typeof operatorTokenRows>[number];

/** The tokens of one site: those issued, the newest first, then those of the setting. */
export function siteTokenRows(db: Db, book: SiteTokenBook, asset: string): TokenRow[] {
  const uses = settingTokenUses(db);
  const issued = listTokens(db, { asset }).map((token) => {
    const { id, createdAt, createdBy, lastUsedAt } = token;
    return { id, issued: { at: createdAt, by: createdBy }, lastUsedAt: book.lastUse(token, lastUsedAt) };
  });
  const named = book.named().filter((token) => token.asset === asset);
  return [
    ...issued,
    ...named.map((token) => {
      const lastUsedAt = book.lastUse(token, uses.get(token.digest) ?? null);
      return { id: namedTokenId(token), issued: null, lastUsedAt };
    }),
  ];
}

/** The tokens of operators. */
export function operatorTokenRows(db: Db, book: ApiTokenBook) {
  return listApiTokens(db).map((token) => {
    const { id, operatorName, scopes, createdAt, createdBy } = token;
    const lastUsedAt = book.lastUse(token, token.lastUsedAt);
    return { id, operator: operatorName, scopes, issued: { at: createdAt, by: createdBy }, lastUsedAt };
  });
}

/** The columns that all lists of tokens share. */
export function tokenColumns<Token extends TokenRow>(props: {
  readonly revokeAt: (token: Token) => string;
  /** Says to a screen reader which one is revoked. */
  readonly which: (token: Token) => string;
  /** Its noun, and what revoking it means for its users. */
  readonly what?: string;
  readonly consequence?: string;
}): readonly Column<Token>[] {
  return [
    [
      "Added",
      ({ issued }) =>
        issued === null ? (
          <span class="dim">–</span>
        ) : (
          <span>
            <DateOf at={issued.at} /> by <Told class="wrap">{issued.by.replace(/^operator:/, "")}</Told>
          </span>
        ),
    ],
    [
      "Last used",
      ({ lastUsedAt }) => (lastUsedAt === null ? <span class="dim">never</span> : <Age at={lastUsedAt} />),
    ],
    [
      "Action",
      (token) =>
        token.issued === null ? (
          <span class="dim">
            from <code>ASSET_TOKENS</code> (change the setting to revoke)
          </span>
        ) : (
          <SureAct
            action={props.revokeAt(token)}
            words="Revoke"
            on={`the ${props.what ?? "token"} ${props.which(token)}`}
            consequence={props.consequence ?? "Reports sent with it are refused at once."}
            sure={`Revoke ${props.what ?? "token"}`}
          />
        ),
      { class: "act", unseen: true },
    ],
  ];
}

export function revoked(isRevoked: boolean, back: string): Response {
  if (isRevoked) return seeOther(withNotice(back, "token-revoked"));
  throw new Problem("not-found", "No such token is in force. It may be revoked already.");
}
