import { appendAudit } from "../audit/mod.ts";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { makeTokenText } from "../lib/token_text.ts";
import type { Ids } from "../platform/ids.ts";
import { NAME_FAULT, publicOf, recordOperator } from "./add.ts";
import { ApiTokenBook } from "./api_token_book.ts";
import { type Operator, operatorNameOf, type Scope } from "./contract.ts";
import type { By } from "./needs.ts";
import {
  findOperator,
  insertApiToken,
  listApiTokens,
  markApiTokenRevoked,
  updateApiTokenUse,
} from "./store.ts";

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
  const made = makeTokenText("smc", deps.ids.bytes);
  const digest = sha256Hex(made.text);
  const newId = deps.ids.uuid();
  const operatorAdded = await deps.writer.write((tx) => {
    const { operator, added } = ensureOperator(tx, newId, name, by);
    insertApiToken(tx, {
      id: made.keyId,
      digest,
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
      detail: { id: made.keyId, scopes: [...scopes] },
    });
    return added;
  });
  deps.apiTokens.add({ id: made.keyId, digest, operator: name, scopes });
  return { id: made.keyId, token: made.text, operatorAdded };
}

/** Revokes a token; it is refused from the next request on. False when there is no such token in force. */
export async function revokeApiToken(
  deps: Pick<ApiTokenDeps, "writer" | "apiTokens">,
  id: string,
  by: By,
): Promise<boolean> {
  const digest = await deps.writer.write((tx) => {
    const found = markApiTokenRevoked(tx, id, by.now, by.actor);
    if (found !== undefined) {
      appendAudit(tx, { at: by.now, actor: by.actor, act: "api-token.revoke", target: id });
    }
    return found ?? null;
  });
  if (digest === null) return false;
  deps.apiTokens.remove(digest);
  return true;
}

/** Writes down when tokens were last used since the last call. */
export async function flushApiTokenUses(writer: Writer, book: ApiTokenBook): Promise<void> {
  const uses = book.takeUses();
  if (uses.length === 0) return;
  await writer.write((tx) => {
    for (const [id, at] of uses) updateApiTokenUse(tx, id, at);
  });
}

function ensureOperator(tx: Tx, newId: string, name: string, by: By): { operator: Operator; added: boolean } {
  const known = findOperator(tx, name);
  if (known !== undefined) return { operator: publicOf(known), added: false };
  const service = { id: newId, name, kind: "service", passwordHash: null } as const;
  recordOperator(tx, service, by);
  return { operator: publicOf(service), added: true };
}
