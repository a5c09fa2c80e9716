import { appendAudit } from "../audit/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import { type ApiTokenBook, listApiTokens } from "./api_tokens.ts";
import { accountKey } from "./attempt.ts";
import { deleteDevices } from "./device_store.ts";
import { forgetLooks } from "./look_store.ts";
import type { By } from "./needs.ts";
import { deleteSessions } from "./session_store.ts";
import {
  deleteOperator,
  findOperator,
  type ListedOperator,
  listOperators,
  type StoredOperator,
} from "./store.ts";
import { deleteThrottlesOf } from "./throttle_store.ts";

/** What a removal ended; or why nothing was removed. */
export type RemoveOperatorResult =
  | { readonly ok: true; readonly endedSessions: number; readonly revokedTokens: readonly string[] }
  | { readonly ok: false; readonly why: "missing" | "last" };

/** How people come in here beside with a password: through a proxy that names them. */
export interface Doors {
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
 * their name. The last one who can sign in is never removed: nobody could come in any more.
 */
export async function removeOperator(
  deps: { readonly writer: Writer; readonly apiTokens: ApiTokenBook },
  name: string,
  by: By & Doors,
): Promise<RemoveOperatorResult> {
  const removed = await deps.writer.write((tx) => {
    const known = findOperator(tx, name);
    if (known === undefined) return "missing";
    if (isLastWhoSignsIn(listOperators(tx), name, by)) return "last";
    const tokens = listApiTokens(tx, { revoked: true }).filter(({ operatorId }) => operatorId === known.id);
    const inForce = tokens.filter(({ revokedAt }) => revokedAt === null);
    for (const { id } of inForce) {
      appendAudit(tx, { at: by.now, actor: by.actor, act: "api-token.revoke", target: id });
    }
    const endedSessions = deleteSessions(tx, known.id);
    endAccess(tx, known);
    const revokedTokens = inForce.map(({ id }) => id);
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "operator.remove",
      target: known.name,
      detail: { kind: known.kind, ended_sessions: endedSessions, revoked: revokedTokens },
    });
    return { endedSessions, revokedTokens, digests: inForce.map(({ digest }) => digest) };
  });
  if (typeof removed === "string") return { ok: false, why: removed };
  const { digests, ...ended } = removed;
  for (const digest of digests) deps.apiTokens.remove(digest);
  return { ok: true, ...ended };
}

function endAccess(tx: Tx, known: StoredOperator): void {
  deleteDevices(tx, known.id);
  deleteThrottlesOf(tx, accountKey(known.name));
  deleteOperator(tx, known.id);
  forgetLooks(tx, known.name);
}
