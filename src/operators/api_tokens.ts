/** The tokens of operators. */
import { asc, desc, eq, isNull } from "drizzle-orm";
import { type Db, statement, type Tx, type Writer } from "../db/mod.ts";
import type { Ids } from "../platform/ids.ts";
import { issueToken, revokeToken, TokenBook } from "../tokens/mod.ts";
import { NAME_FAULT, publicOf, recordOperator } from "./add.ts";
import { type Operator, operatorNameOf, type Scope } from "./contract.ts";
import type { By } from "./needs.ts";
import { findOperator } from "./store.ts";
import { apiToken, operator } from "./table.ts";

/** A known operator API token. */
export interface KnownApiToken {
  /** The key id, which stands in the token's text. */
  readonly id: string;
  readonly digest: string;
  /** The operator's name. */
  readonly operator: string;
  readonly scopes: readonly Scope[];
}

export type ApiTokenBook = TokenBook<KnownApiToken>;

/** A token as lists show it: never the token itself. */
export interface StoredApiToken {
  /** The key id, which stands in the token's text. */
  readonly id: string;
  readonly digest: string;
  readonly operatorId: string;
  readonly operatorName: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Operator tokens, newest first; revoked ones only when asked. */
export function listApiTokens(db: Db, options: { readonly revoked?: boolean } = {}): StoredApiToken[] {
  return db
    .select({
      id: apiToken.id,
      digest: apiToken.digest,
      operatorId: operator.id,
      operatorName: operator.name,
      scopes: apiToken.scopes,
      createdAt: apiToken.created_at,
      createdBy: apiToken.created_by,
      revokedAt: apiToken.revoked_at,
      lastUsedAt: apiToken.last_used_at,
    })
    .from(apiToken)
    .innerJoin(operator, eq(operator.id, apiToken.operator))
    .where(options.revoked === true ? undefined : isNull(apiToken.revoked_at))
    .orderBy(desc(apiToken.created_at), asc(apiToken.id))
    .all()
    .map((row) => ({ ...row, scopes: row.scopes.split(" ") as Scope[] }));
}

/** A token that is in force. `createdAt` is in milliseconds since the epoch. */
export type TokenInForce = Pick<StoredApiToken, "id" | "createdAt">;

// In plain SQL: they are read with every reading of health.
const inForce = statement<TokenInForce, [string]>(
  `SELECT id, created_at AS createdAt FROM api_token
   WHERE revoked_at IS NULL AND ' ' || scopes || ' ' LIKE '% ' || ? || ' %' ORDER BY id`,
);

/** The tokens in force with a scope. */
export function listTokensOf(db: Db, scope: Scope): TokenInForce[] {
  return inForce(db).all(scope);
}

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
  const inForce = listApiTokens(db).map(({ id, digest, operatorName, scopes }) => ({
    id,
    digest,
    operator: operatorName,
    scopes,
  }));
  return new TokenBook("operator", inForce);
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
  const { id, token, added } = await issueToken(deps, deps.apiTokens, by, {
    target: name,
    detail: { scopes: [...scopes] },
    store: (tx, made) => {
      const { operator: owner, added: isNew } = ensureOperator(tx, newId, name, by);
      tx.insert(apiToken)
        .values({ ...made, operator: owner.id, scopes: scopes.join(" ") })
        .run();
      return isNew;
    },
    known: (made) => ({ ...made, operator: name, scopes }),
  });
  return { id, token, operator: name, operatorAdded: added };
}

/** Revokes a token; false when there is no such token in force. */
export async function revokeApiToken(
  deps: Pick<ApiTokenDeps, "writer" | "apiTokens">,
  id: string,
  by: By,
): Promise<boolean> {
  return (await revokeToken(deps.writer, deps.apiTokens, id, by)) !== undefined;
}

function ensureOperator(tx: Tx, newId: string, name: string, by: By): { operator: Operator; added: boolean } {
  const known = findOperator(tx, name);
  if (known !== undefined) return { operator: publicOf(known), added: false };
  const service = { id: newId, name, kind: "service", passwordHash: null } as const;
  recordOperator(tx, service, by);
  return { operator: publicOf(service), added: true };
}
