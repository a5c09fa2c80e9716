/**
 * Passwords given: at sign-in, again for an act that asks for it, and to change it; and a reset from the command line. Each guess is
 * counted as a failure first (`throttle.ts`) and taken back in the transaction of what it allows.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { addressRange } from "../base/hosts.ts";
import { sha256Hex } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import type { By, Caller, OperatorDeps } from "./access.ts";
import { appendAudit, auditAct } from "./audit.ts";
import {
  findOperator,
  type Operator,
  operatorNameOf,
  personOf,
  publicOf,
  recordOperator,
  type StoredOperator,
  updatePassword,
} from "./operators.ts";
import { passwordFault } from "./passwords.ts";
import {
  deleteDevices,
  deleteOverSessions,
  deleteSession,
  deleteSessions,
  findSession,
  isDueForSeen,
  isLive,
  newBrowserSecret,
  openSession,
  rememberDevice,
  sessionId,
  updateConfirmed,
  updateSeen,
} from "./sessions.ts";
import { accountKey, beginAttempt, deleteThrottlesOf, endAttempt } from "./throttle.ts";

/** A name and a password as typed. `keep`: the session is to last 30 days. `replaces` is the digest of the session the browser had, which ends. */
export interface SignInAttempt {
  readonly name: string;
  readonly password: string;
  readonly caller: Caller;
  readonly keep?: boolean;
  readonly replaces?: string | undefined;
}

/**
 * Signs a person in: answers a new session, or why there is none. `device` is the secret the browser is to keep so that it is known again;
 * undefined when it is known already. `wrong` is one answer for a wrong password, an unknown name and a service.
 */
export async function signIn(deps: OperatorDeps, attempt: SignInAttempt) {
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
  const made = newBrowserSecret(deps.ids);
  const browser = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx) => {
    // The password may have been changed while the hash was worked out.
    const current = findOperator(tx, name);
    if (current?.passwordHash !== guess.hash) return { ok: false, reason: "wrong" } as const;
    endAttempt(tx, guess.counted);
    if (attempt.replaces !== undefined) deleteSession(tx, attempt.replaces);
    deleteOverSessions(tx, now);
    openSession(tx, operator.id, made, caller, now, kept);
    const device = rememberDevice(tx, operator.id, caller, browser, now);
    auditAct(tx, { actor: `operator:${name}`, now }, "sign-in", name, {
      address: caller.address,
      session: sessionId(made.digest),
      ...(kept && { kept }),
    });
    return { ok: true, operator: publicOf(operator), token: made.token, device, kept } as const;
  });
}

/** A guess at a password, from signing in or from an act that asks for it again. */
interface Guess extends Pick<SignInAttempt, "name" | "password" | "caller"> {
  readonly known: StoredOperator | undefined;
  readonly act: string;
}

/**
 * Judges a guess, slowed down. It stays counted as a failure until the caller takes it back with `endAttempt` in the
 * transaction of what it allows. An unknown name takes the same time and gets the same answer.
 */
async function guessPassword(deps: OperatorDeps, guess: Guess) {
  const { name, known, caller } = guess;
  const guesser = { name, operatorId: known?.id, caller };
  const attempt = await deps.writer.write((tx) => beginAttempt(tx, guesser, deps.clock.now()));
  if (!attempt.heard) return { ok: false, reason: "wait", seconds: attempt.seconds } as const;
  const hash = known?.kind === "person" ? known.passwordHash : null;
  const matches = await deps.passwords.verify(guess.password, hash);
  if (matches && known !== undefined && hash !== null)
    return { ok: true, operator: known, hash, counted: attempt.counted } as const;
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
  return { ok: false, reason: "wrong" } as const;
}

/** A live session with its operator. */
export type LiveSession = NonNullable<ReturnType<typeof authenticate>>;

/** The longest cookie value that is looked at: a session's token has 43 characters. */
const LONGEST_TOKEN = 64;

/**
 * The live session of a cookie's token, or undefined. The use is written down at most once a minute, off the path of the
 * answer. A visible page that refreshes itself keeps its session alive, to the end of its 12 hours: a Wall is such a page.
 */
export function authenticate(deps: Pick<OperatorDeps, "store" | "writer" | "clock">, token: string) {
  if (token.length > LONGEST_TOKEN) return undefined;
  const now = deps.clock.now();
  const found = findSession(deps.store.db, sha256Hex(token));
  if (found === undefined || !isLive(found.session, now)) return undefined;
  if (isDueForSeen(found.session, now)) {
    const { writer } = deps;
    writer.background(
      writer.write((tx) => updateSeen(tx, found.session.digest, now)),
      (cause) => logOf("sessions").warn("a use was not written down", { reason: String(cause) }),
    );
  }
  return found;
}

/**
 * Has a signed-in person give their password again. A session's cookie goes to every port of its host, so a program on another
 * one may hold it; the password it does not hold. Answers as signing in where it was not right.
 */
export async function confirmPassword(
  deps: OperatorDeps,
  asked: { readonly live: LiveSession; readonly password: string; readonly caller: Caller },
) {
  const { live, password, caller } = asked;
  const { name } = live.operator;
  const known = findOperator(deps.store.db, name);
  const guess = await guessPassword(deps, { name, known, password, caller, act: "password.confirm" });
  if (!guess.ok) return guess;
  const now = deps.clock.now();
  return deps.writer.write((tx) => {
    if (findOperator(tx, name)?.passwordHash !== guess.hash) return { ok: false, reason: "wrong" } as const;
    endAttempt(tx, guess.counted);
    updateConfirmed(tx, live.session.digest, now);
    auditAct(tx, { actor: `operator:${name}`, now }, "password.confirm", name, {
      address: caller.address,
      session: sessionId(live.session.digest),
    });
    return { ok: true } as const;
  });
}

/**
 * Changes one's own password: every session ends, and one new one is opened under `token`. Wrong guesses at the current one are slowed down
 * as at sign-in.
 */
export async function changePassword(
  deps: OperatorDeps,
  asked: Omit<SignInAttempt, "replaces"> & { readonly current: string },
) {
  const { name, caller, keep: kept = false } = asked;
  const known = findOperator(deps.store.db, name);
  const fault = await passwordFault(asked.password, name);
  if (fault !== undefined) return { ok: false, field: "password", reason: fault } as const;
  const guess = await guessPassword(deps, {
    name,
    known,
    password: asked.current,
    caller,
    act: "password.change",
  });
  if (!guess.ok) {
    return guess.reason === "wait"
      ? ({ ok: false, field: "wait", seconds: guess.seconds } as const)
      : ({ ok: false, field: "current", reason: "This is not the current password." } as const);
  }
  const hash = await deps.passwords.hash(asked.password);
  const made = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx) => {
    if (findOperator(tx, name)?.passwordHash !== guess.hash) {
      return { ok: false, field: "current", reason: "The password was changed meanwhile." } as const;
    }
    endAttempt(tx, guess.counted);
    updatePassword(tx, guess.operator.id, hash, now);
    const endedSessions = deleteSessions(tx, guess.operator.id);
    deleteDevices(tx, guess.operator.id, caller.device);
    openSession(tx, guess.operator.id, made, caller, now, kept);
    auditAct(tx, { actor: `operator:${name}`, now }, "password.change", name, {
      address: caller.address,
      ended_sessions: endedSessions,
    });
    return { ok: true, token: made.token, kept, endedSessions } as const;
  });
}

/**
 * Sets a new password for a person, ends all their sessions, and forgets their browsers and failures; a refusal is a sentence. For the
 * command line.
 */
export async function resetPassword(
  deps: OperatorDeps,
  asked: { readonly name: string; readonly password: string },
  by: By,
) {
  const known = findOperator(deps.store.db, asked.name);
  if (known === undefined) return { ok: false, reason: `There is no operator named ${asked.name}.` } as const;
  if (known.kind === "service")
    return { ok: false, reason: `${asked.name} is a service operator, which cannot sign in.` } as const;
  const reason = await passwordFault(asked.password, known.name);
  if (reason !== undefined) return { ok: false, reason } as const;
  const hash = await deps.passwords.hash(asked.password);
  return deps.writer.write((tx) => {
    updatePassword(tx, known.id, hash, by.now);
    const endedSessions = deleteSessions(tx, known.id);
    deleteDevices(tx, known.id);
    deleteThrottlesOf(tx, accountKey(known.name));
    auditAct(tx, by, "operator.reset", known.name, { ended_sessions: endedSessions });
    return { ok: true, endedSessions } as const;
  });
}

// Signing in through a reverse proxy that names the operator in a header: believed from loopback and listed proxies only.

/** Loopback: whoever sends from there is on this machine. */
const LOOPBACK = ["127.0.0.0/8", "::1"];

/** Peers whose word on the operator's name is taken: loopback and the listed proxies. */
export function namingPeers(proxies: readonly string[]): (address: string) => boolean {
  return among([...LOOPBACK, ...proxies]);
}

/**
 * Peers whose word on where a request came from is taken: the listed proxies alone, none while none is listed. Any program on
 * this machine can send a forwarding header from loopback, and the address it invents would stand in the audit.
 */
export function forwardingPeers(proxies: readonly string[]): (address: string) => boolean {
  return among(proxies);
}

/** Whether an address lies in one of the ranges, in any spelling. */
function among(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of ranges) {
    const range = addressRange(text);
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** Whose word on the operator's name is taken, and how it is proved. */
export interface Trusted {
  readonly header: string | undefined;
  readonly isTrusted: (address: string) => boolean;
  /** What has to stand before the name, and a space between them. */
  readonly secret: string | undefined;
}

/** What a trusted header says: nothing, an operator's name, or one that came without the proof it needs. */
export type Named = { readonly name: string } | "unproved" | undefined;

/**
 * The operator's name that a believed proxy gives. Two headers arrive joined by a comma and are no name.
 *
 * A proxy that forgets to set the header hands on its callers' own, from an address that is trusted. So the proof stands in the header
 * itself: a secret in a header of its own would be sent by the same forgetful proxy beside a name that it never looked at, while one that
 * writes the secret into this header has written the name. Without a secret the header is believed as it comes, which a start and
 * the settings say: a proxy on this machine worked so before there was one.
 */
export function trustedName(headers: Headers, peer: string, { header, isTrusted, secret }: Trusted): Named {
  const value = header === undefined || !isTrusted(peer) ? null : headers.get(header);
  if (value === null) return undefined;
  const told = secret === undefined ? value : afterSecret(value, secret);
  if (told === undefined) return "unproved";
  const name = operatorNameOf(asUtf8(told));
  return name === undefined ? undefined : { name };
}

/** What stands after the secret and a space; undefined where another text stands before it. */
function afterSecret(value: string, secret: string): string | undefined {
  const cut = value.indexOf(" ");
  const given = cut < 0 ? value : value.slice(0, cut);
  // Digests are of one length, so that how long the comparing takes tells nothing.
  return timingSafeEqual(digestOf(given), digestOf(secret)) ? value.slice(given.length).trim() : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A header is read as Latin-1, and most proxies write names in UTF-8: what is UTF-8 is taken for that. */
function asUtf8(text: string): string {
  try {
    return utf8.decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * The address a request comes from: what a believed proxy says of it, else the peer's own. Read from the end, where our own proxies write:
 * what stands before a hop that is no address may be anybody's.
 */
export function clientAddress(
  headers: Headers,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => withoutPort(hop.trim()));
  const outside = hops.findLast((hop) => !isTrusted(hop)) ?? "";
  return isIP(outside) === 0 ? peer : outside;
}

/** Some proxies write the port, too. */
function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}

/**
 * The person of a name the proxy gave. Whoever runs the proxy has decided who may come in, so an unknown name is added on
 * first sight, without a password. A service operator's name opens nothing.
 */
export async function admitTrusted(
  deps: Pick<OperatorDeps, "store" | "writer" | "clock" | "ids">,
  name: string,
): Promise<Operator | undefined> {
  const known = findOperator(deps.store.db, name);
  if (known !== undefined) return known.kind === "person" ? publicOf(known) : undefined;
  const person = personOf(deps, name, null);
  const now = deps.clock.now();
  return deps.writer.write((tx): Operator | undefined => {
    const meanwhile = findOperator(tx, name);
    if (meanwhile !== undefined) return meanwhile.kind === "person" ? publicOf(meanwhile) : undefined;
    recordOperator(tx, person, { actor: "trusted-header", now });
    return publicOf(person);
  });
}
