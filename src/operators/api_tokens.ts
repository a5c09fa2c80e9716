import { appendAudit } from "../audit/mod.ts";
import type { Db, Tx, Writer } from "../db/mod.ts";
import type { Ids } from "../platform/ids.ts";
import { flushUses, issueToken, revokeToken } from "../tokens/mod.ts";
import { NAME_FAULT, publicOf, recordOperator } from "./add.ts";
import { ApiTokenBook } from "./api_token_book.ts";
import { type Operator, operatorNameOf, type Scope } from "./contract.ts";
import type { By } from "./needs.ts";
import { findOperator } from "./store.ts";
import { insertApiToken, listApiTokens, markApiTokenRevoked, updateApiTokenUse } from "./token_store.ts";

/** What issuing and revoking tokens works with. */
export interface ApiTokenDeps {
  readonly writer: Writer;
  readonly ids: Ids;
  readonly apiTokens: ApiTokenBook;
}

/** An issued token: its text is shown once and not kept. */
export interface NewApiToken {
  readonly id: string;
  readonly token: string;
  /** Whose it is, by the name as it is kept. */
  readonly operator: string;
  /** Whether there was no such operator and a service operator was made. */
  readonly operatorAdded: boolean;
}

/** Loads every operator token in force. */
export function loadApiTokenBook(db: Db): ApiTokenBook {
  const book = new ApiTokenBook();
  for (const { id, digest, operatorName, scopes } of listApiTokens(db)) {
    book.add({ id, digest, operator: operatorName, scopes });
  }
  return book;
}

/**
 * Issues a token that speaks for the named operator; a service operator, which cannot sign in, is made when there is none.
 * Throws a RangeError when the name is none: `operatorNameOf` tells beforehand.
 */
export async function issueServiceToken(
  deps: ApiTokenDeps,
  operatorName: string,
  scopes: readonly Scope[],
  by: By,
): Promise<NewApiToken> {
  const name = operatorNameOf(operatorName);
  if (name === undefined) throw new RangeError(NAME_FAULT);
  if (scopes.length === 0) throw new RangeError("a token needs at least one scope");
  const newId = deps.ids.uuid();
  const { id, token, added } = await issueToken(deps, deps.apiTokens, {
    prefix: "smc",
    record: (tx, made) => {
      const { operator, added: isNew } = ensureOperator(tx, newId, name, by);
      insertApiToken(tx, {
        ...made,
        operatorId: operator.id,
        scopes,
        createdAt: by.now,
        createdBy: by.actor,
      });
      appendAudit(tx, {
        at: by.now,
        actor: by.actor,
        act: "api-token.issue",
        target: name,
        detail: { id: made.id, scopes: [...scopes] },
      });
      return isNew;
    },
    known: (made) => ({ ...made, operator: name, scopes }),
  });
  return { id, token, operator: name, operatorAdded: added };
}

/** Revokes a token; false when there is no such token in force. */
export function revokeApiToken(
  deps: Pick<ApiTokenDeps, "writer" | "apiTokens">,
  id: string,
  by: By,
): Promise<boolean> {
  return revokeToken(deps.writer, deps.apiTokens, (tx) => {
    const digest = markApiTokenRevoked(tx, id, by.now, by.actor);
    if (digest !== undefined) {
      appendAudit(tx, { at: by.now, actor: by.actor, act: "api-token.revoke", target: id });
    }
    return digest;
  });
}

/** Writes down when tokens were last used since the last call. */
export function flushApiTokenUses(writer: Writer, book: ApiTokenBook): Promise<void> {
  return flushUses(writer, book, (tx, { token, at }) => updateApiTokenUse(tx, token.id, at));
}

function ensureOperator(tx: Tx, newId: string, name: string, by: By): { operator: Operator; added: boolean } {
  const known = findOperator(tx, name);
  if (known !== undefined) return { operator: publicOf(known), added: false };
  const service = { id: newId, name, kind: "service", passwordHash: null } as const;
  recordOperator(tx, service, by);
  return { operator: publicOf(service), added: true };
}
