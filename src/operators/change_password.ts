import { appendAudit } from "../audit/mod.ts";
import { endAttempt } from "./attempt.ts";
import { newBrowserSecret } from "./browser_secret.ts";
import { deleteDevices } from "./device_store.ts";
import { passwordFault } from "./judge.ts";
import type { Caller, OperatorDeps } from "./needs.ts";
import { openSession } from "./open_session.ts";
import { deleteSessions } from "./session_store.ts";
import { guessPassword } from "./sign_in.ts";
import { findOperator, updatePassword } from "./store.ts";

/** What a change of password did: every session ended, and one new one was opened under `token`. */
export type ChangePasswordResult =
  | {
      readonly ok: true;
      readonly token: string;
      readonly kept: boolean;
      readonly endedSessions: number;
    }
  | { readonly ok: false; readonly field: "current" | "password"; readonly reason: string }
  | { readonly ok: false; readonly field: "wait"; readonly seconds: number };

/** Changes one's own password. Wrong guesses at the current one are slowed down as at sign-in. */
export async function changePassword(
  deps: OperatorDeps,
  asked: {
    readonly name: string;
    readonly current: string;
    readonly password: string;
    readonly caller: Caller;
    /** Whether the new session is to last 30 days, as the one before did. */
    readonly keep?: boolean;
  },
): Promise<ChangePasswordResult> {
  const { name, caller, keep: kept = false } = asked;
  const known = findOperator(deps.store.db, name);
  const fault = await passwordFault(asked.password, name);
  if (fault !== undefined) return { ok: false, field: "password", reason: fault };
  const guess = await guessPassword(deps, {
    name,
    known,
    password: asked.current,
    caller,
    act: "password.change",
  });
  if (!guess.ok) {
    return guess.reason === "wait"
      ? { ok: false, field: "wait", seconds: guess.seconds }
      : { ok: false, field: "current", reason: "This is not the current password." };
  }
  const hash = await deps.passwords.hash(asked.password);
  const made = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx): ChangePasswordResult => {
    if (findOperator(tx, name)?.passwordHash !== guess.hash) {
      return { ok: false, field: "current", reason: "The password was changed meanwhile." };
    }
    endAttempt(tx, guess.counted);
    updatePassword(tx, guess.operator.id, hash, now);
    const endedSessions = deleteSessions(tx, guess.operator.id);
    deleteDevices(tx, guess.operator.id, caller.device);
    openSession(tx, guess.operator.id, made, caller, now, kept);
    appendAudit(tx, {
      at: now,
      actor: `operator:${name}`,
      act: "password.change",
      target: name,
      detail: { address: caller.address, ended_sessions: endedSessions },
    });
    return { ok: true, token: made.token, kept, endedSessions };
  });
}
