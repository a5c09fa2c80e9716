import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { Scope } from "./contract.ts";
import { apiToken, operator } from "./table.ts";

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

/** Inserts an operator token by its digest. */
export function insertApiToken(
  tx: Tx,
  token: Pick<StoredApiToken, "id" | "digest" | "operatorId" | "scopes" | "createdAt" | "createdBy">,
): void {
  tx.insert(apiToken)
    .values({
      id: token.id,
      operator: token.operatorId,
      digest: token.digest,
      scopes: token.scopes.join(" "),
      created_at: token.createdAt,
      created_by: token.createdBy,
    })
    .run();
}

/** Marks a token as revoked; its digest, or undefined when it is unknown or was revoked before. */
export function markApiTokenRevoked(tx: Tx, id: string, at: number, by: string): string | undefined {
  return tx
    .update(apiToken)
    .set({ revoked_at: at, revoked_by: by })
    .where(and(eq(apiToken.id, id), isNull(apiToken.revoked_at)))
    .returning({ digest: apiToken.digest })
    .all()[0]?.digest;
}

/** Writes down when a token was last used. */
export function updateApiTokenUse(tx: Tx, id: string, at: number): void {
  tx.update(apiToken).set({ last_used_at: at }).where(eq(apiToken.id, id)).run();
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
