import { appendAudit } from "../audit/mod.ts";
import { endAttempt } from "./attempt.ts";
import type { LiveSession } from "./authenticate.ts";
import type { Caller, OperatorDeps } from "./needs.ts";
import { sessionId } from "./session.ts";
import { updateConfirmed } from "./session_store.ts";
import { guessPassword, type SignInResult } from "./sign_in.ts";
import { findOperator } from "./store.ts";

/** Whether the password was right; `wait` as at sign-in. */
export type ConfirmResult = { readonly ok: true } | Extract<SignInResult, { ok: false }>;

/**
 * Has a signed-in person give their password again. A session's cookie goes to every port of its host, so a program on another
 * one may hold it; the password it does not hold.
 */
export async function confirmPassword(
  deps: OperatorDeps,
  asked: { readonly live: LiveSession; readonly password: string; readonly caller: Caller },
): Promise<ConfirmResult> {
  const { live, password, caller } = asked;
  const { name } = live.operator;
  const known = findOperator(deps.store.db, name);
  const guess = await guessPassword(deps, { name, known, password, caller, act: "password.confirm" });
  if (!guess.ok) return guess;
  const now = deps.clock.now();
  return deps.writer.write((tx): ConfirmResult => {
    if (findOperator(tx, name)?.passwordHash !== guess.hash) return { ok: false, reason: "wrong" };
    endAttempt(tx, guess.counted);
    updateConfirmed(tx, live.session.digest, now);
    appendAudit(tx, {
      at: now,
      actor: `operator:${name}`,
      act: "password.confirm",
      target: name,
      detail: { address: caller.address, session: sessionId(live.session.digest) },
    });
    return { ok: true };
  });
}
