import { appendAudit } from "../audit/mod.ts";
import { publicOf } from "./add.ts";
import { type Attempt, beginAttempt, endAttempt } from "./attempt.ts";
import { newBrowserSecret } from "./browser_secret.ts";
import type { Operator } from "./contract.ts";
import { rememberDevice } from "./device.ts";
import type { Caller, OperatorDeps } from "./needs.ts";
import { openSession } from "./open_session.ts";
import { sessionId } from "./session.ts";
import { deleteOverSessions, deleteSession } from "./session_store.ts";
import { findOperator, type StoredOperator, updateHash } from "./store.ts";

/**
 * A new session, or why there is none. `device` is the secret the browser is to keep so that it is known again; undefined when it
 * is known already. `wrong` is one answer for a wrong password, an unknown name and a service.
 */
export type SignInResult =
  | {
      readonly ok: true;
      readonly operator: Operator;
      readonly token: string;
      readonly device: string | undefined;
      readonly kept: boolean;
    }
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "wait"; readonly seconds: number };

/** A name and a password as typed. `keep`: the session is to last 30 days. `replaces` is the digest of the session the browser had, which ends. */
export interface SignInAttempt {
  readonly name: string;
  readonly password: string;
  readonly caller: Caller;
  readonly keep?: boolean;
  readonly replaces?: string | undefined;
}

/** Signs a person in. */
export async function signIn(deps: OperatorDeps, attempt: SignInAttempt): Promise<SignInResult> {
  const { caller, keep: kept = false } = attempt;
  const name = attempt.name.normalize("NFC");
  const known = findOperator(deps.store.db, name);
  const guess = await guessPassword(deps, {
    name,
    known,
    password: attempt.password,
    caller,
    act: "sign-in",
  });
  if (!guess.ok) return guess;
  const { operator } = guess;
  const rehashed = deps.passwords.isCheaper(guess.hash)
    ? await deps.passwords.hash(attempt.password)
    : undefined;
  const made = newBrowserSecret(deps.ids);
  const browser = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx): SignInResult => {
    // The password may have been changed while the hash was worked out.
    const current = findOperator(tx, name);
    if (current?.passwordHash !== guess.hash) return { ok: false, reason: "wrong" };
    endAttempt(tx, guess.counted);
    if (rehashed !== undefined) updateHash(tx, operator.id, guess.hash, rehashed);
    if (attempt.replaces !== undefined) deleteSession(tx, attempt.replaces);
    deleteOverSessions(tx, now);
    openSession(tx, operator.id, made, caller, now, kept);
    const device = rememberDevice(tx, operator.id, caller, browser, now);
    appendAudit(tx, {
      at: now,
      actor: `operator:${name}`,
      act: "sign-in",
      target: name,
      detail: { address: caller.address, session: sessionId(made.digest), ...(kept && { kept }) },
    });
    return { ok: true, operator: publicOf(operator), token: made.token, device, kept };
  });
}

/** A guess at a password, from signing in or from an act that asks for it again. */
export interface Guess {
  readonly name: string;
  readonly known: StoredOperator | undefined;
  readonly password: string;
  readonly caller: Caller;
  readonly act: string;
}

type GuessResult =
  | {
      readonly ok: true;
      readonly operator: StoredOperator;
      readonly hash: string;
      readonly counted: Extract<Attempt, { heard: true }>["counted"];
    }
  | Extract<SignInResult, { ok: false }>;

/**
 * Judges a guess, slowed down. It stays counted as a failure until the caller takes it back with `endAttempt` in the
 * transaction of what it allows. An unknown name takes the same time and gets the same answer.
 */
export async function guessPassword(deps: OperatorDeps, guess: Guess): Promise<GuessResult> {
  const { name, known, caller } = guess;
  const guesser = { name, operatorId: known?.id, caller };
  const attempt = await deps.writer.write((tx) => beginAttempt(tx, guesser, deps.clock.now()));
  if (!attempt.heard) return { ok: false, reason: "wait", seconds: attempt.seconds };
  const hash = known?.kind === "person" ? known.passwordHash : null;
  const matches = await deps.passwords.verify(guess.password, hash);
  if (matches && known !== undefined && hash !== null)
    return { ok: true, operator: known, hash, counted: attempt.counted };
  await deps.writer.write((tx) => {
    appendAudit(tx, {
      at: deps.clock.now(),
      actor: "nobody",
      act: `${guess.act}.refused`,
      // An unknown name is not kept: it may be a password typed into the wrong field.
      target: known?.name ?? "",
      detail: { address: caller.address },
    });
  });
  return { ok: false, reason: "wrong" };
}
