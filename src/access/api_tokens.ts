/** API tokens of operators: issued, listed, revoked; and the removal of an operator, which ends them. */

import { asc, desc, eq, isNull } from "drizzle-orm";
import type { Clock } from "../base/base.ts";
import { Problem } from "../base/problem.ts";
import { bearerToken, unauthenticated } from "../base/receive.ts";
import type { Core } from "../store/core.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { Actor, By, Scope } from "./access.ts";
import { auditAct } from "./audit.ts";
import {
  apiToken,
  deleteOperator,
  findOperator,
  type ListedOperator,
  listOperators,
  NAME_FAULT,
  type Operator,
  operator,
  operatorNameOf,
  publicOf,
  recordOperator,
} from "./operators.ts";
import { deleteDevices, deleteSessions } from "./sessions.ts";
import { accountKey, deleteThrottlesOf } from "./throttle.ts";
import { issueToken, TokenBook } from "./tokens.ts";

export type ApiTokenBook = ReturnType<typeof loadApiTokenBook>;

/** Operator tokens, newest first, never the tokens themselves; revoked ones only when asked. The id stands in the token's text. */
export function listApiTokens(db: Db, options: { readonly revoked?: boolean } = {}) {
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
    .map((row) => ({ ...row, scopes: row.scopes.split(" ") as readonly Scope[] }));
}

/** A token that is in force. `createdAt` is in milliseconds since the epoch. */
export interface TokenInForce {
  readonly id: string;
  readonly createdAt: number;
}

// In plain SQL: they are read with every reading of health.
const inForce = statement<TokenInForce, [string]>(
  `SELECT id, created_at AS createdAt FROM api_token
   WHERE revoked_at IS NULL AND ' ' || scopes || ' ' LIKE '% ' || ? || ' %' ORDER BY id`,
);

/** The tokens in force with a scope. */
export function listTokensOf(db: Db, scope: Scope): TokenInForce[] {
  return inForce(db).all(scope);
}

/** Loads every operator token in force, with its operator's name. */
export function loadApiTokenBook(db: Db) {
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
 * Throws a RangeError when the name is none: `operatorNameOf` tells beforehand. The token's text is answered, to be shown once and not
 * kept, with the operator's name as it is kept.
 */
export async function issueServiceToken(
  deps: Pick<Core, "writer" | "ids"> & { readonly apiTokens: ApiTokenBook },
  operatorName: string,
  scopes: readonly Scope[],
  by: By,
) {
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

/** Whose token a request carries. Throws a `Problem` where there is none in force, or its scopes do not cover what is asked. */
export function actorOfToken(
  request: Request,
  scope: Scope,
  books: {
    readonly apiTokens: ApiTokenBook;
    readonly siteTokens: { readonly find: (text: string) => unknown };
    readonly clock: Clock;
  },
): Actor {
  const text = bearerToken(request) ?? "";
  const known = books.apiTokens.find(text);
  if (known === undefined) {
    if (books.siteTokens.find(text) === undefined) throw unauthenticated();
    throw new Problem(
      "insufficient-scope",
      "A site token sends reports; this route takes an operator token.",
    );
  }
  if (!known.scopes.includes(scope)) {
    throw new Problem("insufficient-scope", `The token has no scope ${scope}.`);
  }
  books.apiTokens.noteUse(known, books.clock.now());
  return { name: known.operator, id: `token:${known.id}` };
}

function ensureOperator(tx: Tx, newId: string, name: string, by: By): { operator: Operator; added: boolean } {
  const known = findOperator(tx, name);
  if (known !== undefined) return { operator: publicOf(known), added: false };
  const service = { id: newId, name, kind: "service", passwordHash: null } as const;
  recordOperator(tx, service, by);
  return { operator: publicOf(service), added: true };
}

/** How people come in here beside with a password: through a proxy that names them. */
interface Doors {
  readonly byProxy: boolean;
}

/** Whether none of these operators could sign in without that one. */
export function isLastWhoSignsIn(
  operators: readonly ListedOperator[],
  name: string,
  { byProxy }: Doors,
): boolean {
  const signsIn = operators.filter(({ kind, hasPassword }) => kind === "person" && (hasPassword || byProxy));
  return signsIn.length === 1 && signsIn[0]?.name === name;
}

/**
 * Removes an operator with all that lets them in: sessions and tokens end at once, browsers are forgotten. What they did stays under
 * their name. The last one who can sign in is never removed: nobody could come in any more. Answers what ended; or why nothing was removed.
 */
export async function removeOperator(
  deps: { readonly writer: Writer; readonly apiTokens: ApiTokenBook },
  name: string,
  by: By & Doors,
) {
  const removed = await deps.writer.write((tx) => {
    const known = findOperator(tx, name);
    if (known === undefined) return "missing";
    if (isLastWhoSignsIn(listOperators(tx), name, by)) return "last";
    const tokens = listApiTokens(tx, { revoked: true }).filter(({ operatorId }) => operatorId === known.id);
    const inForce = tokens.filter(({ revokedAt }) => revokedAt === null);
    for (const { id } of inForce) {
      auditAct(tx, by, "api-token.revoke", id);
    }
    const endedSessions = deleteSessions(tx, known.id);
    deleteDevices(tx, known.id);
    deleteThrottlesOf(tx, accountKey(known.name));
    deleteOperator(tx, known.id);
    const revokedTokens = inForce.map(({ id }) => id);
    auditAct(tx, by, "operator.remove", known.name, {
      kind: known.kind,
      ended_sessions: endedSessions,
      revoked: revokedTokens,
    });
    return { endedSessions, revokedTokens, digests: inForce.map(({ digest }) => digest) };
  });
  if (typeof removed === "string") return { ok: false, why: removed } as const;
  const { digests, ...ended } = removed;
  for (const digest of digests) deps.apiTokens.remove(digest);
  return { ok: true, ...ended } as const;
}
