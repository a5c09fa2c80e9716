import { appendAudit } from "../audit/mod.ts";
import { accountKey } from "./attempt.ts";
import { deleteDevices } from "./device_store.ts";
import { passwordFault } from "./judge.ts";
import type { By, OperatorDeps } from "./needs.ts";
import { deleteSessions } from "./session_store.ts";
import { findOperator, updatePassword } from "./store.ts";
import { deleteThrottlesOf } from "./throttle_store.ts";

/** What a reset did; a refusal is a sentence. */
export type ResetResult =
  | { readonly ok: true; readonly endedSessions: number }
  | { readonly ok: false; readonly reason: string };

/** Sets a new password for a person, ends all their sessions, and forgets their browsers and failures. For the command line. */
export async function resetPassword(
  deps: OperatorDeps,
  asked: { readonly name: string; readonly password: string },
  by: By,
): Promise<ResetResult> {
  const known = findOperator(deps.store.db, asked.name);
  if (known === undefined) return { ok: false, reason: `There is no operator named ${asked.name}.` };
  if (known.kind === "service")
    return { ok: false, reason: `${asked.name} is a service operator, which cannot sign in.` };
  const reason = await passwordFault(asked.password, known.name);
  if (reason !== undefined) return { ok: false, reason };
  const hash = await deps.passwords.hash(asked.password);
  return deps.writer.write((tx): ResetResult => {
    updatePassword(tx, known.id, hash, by.now);
    const endedSessions = deleteSessions(tx, known.id);
    deleteDevices(tx, known.id);
    deleteThrottlesOf(tx, accountKey(known.name));
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "operator.reset",
      target: known.name,
      detail: { ended_sessions: endedSessions },
    });
    return { ok: true, endedSessions };
  });
}
