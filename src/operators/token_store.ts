/** Operators' tokens that are in force, in plain SQL: they are read with every reading of health. */
import { type Db, statement } from "../db/mod.ts";
import type { Scope } from "./contract.ts";
import type { StoredApiToken } from "./store.ts";

/** A token that is in force. `createdAt` is in milliseconds since the epoch. */
export type TokenInForce = Pick<StoredApiToken, "id" | "createdAt">;

const inForce = statement<TokenInForce, [string]>(
  `SELECT id, created_at AS createdAt FROM api_token
   WHERE revoked_at IS NULL AND ' ' || scopes || ' ' LIKE '% ' || ? || ' %' ORDER BY id`,
);

/** The tokens in force with a scope. */
export function listTokensOf(db: Db, scope: Scope): TokenInForce[] {
  return inForce(db).all(scope);
}
