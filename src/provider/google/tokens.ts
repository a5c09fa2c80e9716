/** Access tokens of service accounts: exchanged when they are needed, kept in memory alone, shared by all who ask at once. */
import type { Config } from "../../platform/config.ts";
import type { HttpDoor } from "../../platform/http_door.ts";
import type { Fault } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { GoogleAccount } from "../secret.ts";
import { assertion, signingKey } from "./assertion.ts";
import { isTokenAddress } from "./token_address.ts";
import { parseToken } from "./token_answer.ts";

export type GoogleScope =
  | "https://www.googleapis.com/auth/analytics.readonly"
  | "https://www.googleapis.com/auth/webmasters.readonly";

/** Who asks for a token. */
export interface TokenAsker {
  readonly http: HttpDoor;
  readonly addresses: Config["providers"];
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly connectionRevision: string;
}

/** `requests` counts those of the exchange that this question began: whoever waits for another's sent none. */
export type TokenAnswer =
  | { readonly ok: true; readonly token: string; readonly requests: number }
  | { readonly ok: false; readonly fault: Fault; readonly requests: number };

type Exchanged =
  | (Extract<TokenAnswer, { ok: true }> & { readonly lastsMs: number })
  | Extract<TokenAnswer, { ok: false }>;

interface Kept {
  readonly token: string;
  /** From when on it is not used any more. */
  readonly until: number;
}

/** An exchange under way: given up when nobody waits for it any more. */
interface Exchange {
  readonly answer: Promise<TokenAnswer>;
  readonly abort: AbortController;
  waiting: number;
}

/** A token is replaced this long before it ends, so that none ends on its way. */
const EARLY_MS = 120_000;
/** Replaced connections leave tokens behind, which nobody asks for again. */
const MOST_KEPT = 512;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 65_536;

export class GoogleTokens {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Exchange>();

  /** A token for these scopes, kept from before or exchanged now. One exchange at a time for a connection and its scopes. */
  async token(
    asker: TokenAsker,
    account: GoogleAccount,
    scopes: readonly GoogleScope[],
  ): Promise<TokenAnswer> {
    if (asker.signal.aborted) return STOPPED;
    const key = keyOf(asker, account, scopes);
    const kept = this.#kept.get(key);
    if (kept !== undefined && asker.now() < kept.until) return { ok: true, token: kept.token, requests: 0 };
    this.#kept.delete(key);
    const joined = this.#underWay.get(key);
    const exchange = joined ?? this.#begin(key, asker, account, scopes);
    exchange.waiting++;
    try {
      const answer = await untilStopped(exchange.answer, asker.signal);
      return joined === undefined ? answer : { ...answer, requests: 0 };
    } finally {
      if (--exchange.waiting === 0) this.#end(key, exchange);
    }
  }

  /** Forgets a token that was refused, unless another one stands in its place already. */
  drop(asker: TokenAsker, account: GoogleAccount, scopes: readonly GoogleScope[], token: string): void {
    const key = keyOf(asker, account, scopes);
    if (this.#kept.get(key)?.token === token) this.#kept.delete(key);
  }

  #begin(key: string, asker: TokenAsker, account: GoogleAccount, scopes: readonly GoogleScope[]): Exchange {
    const abort = new AbortController();
    const answer = exchanged({ ...asker, signal: abort.signal }, account, scopes).then((got) => {
      if (got.ok) this.#keep(key, got.token, asker.now() + got.lastsMs - Math.min(EARLY_MS, got.lastsMs / 4));
      return got;
    });
    const exchange: Exchange = { answer, abort, waiting: 0 };
    this.#underWay.set(key, exchange);
    return exchange;
  }

  /** Nobody waits for it: it is over, or those who did have left. */
  #end(key: string, exchange: Exchange): void {
    exchange.abort.abort();
    if (this.#underWay.get(key) === exchange) this.#underWay.delete(key);
  }

  #keep(key: string, token: string, until: number): void {
    if (this.#kept.size >= MOST_KEPT) {
      const [oldest = ""] = this.#kept.keys();
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, { token, until });
  }
}

/** The account and its key, too: what is tried out before it is saved has no connection of its own yet. */
function keyOf(
  { connectionRevision }: TokenAsker,
  { clientEmail, privateKeyId }: GoogleAccount,
  scopes: readonly GoogleScope[],
): string {
  return JSON.stringify([connectionRevision, clientEmail, privateKeyId, ...[...scopes].sort()]);
}

const STOPPED: TokenAnswer = { ok: false, fault: faultOf("stopped"), requests: 0 };

/** The answer, or that this one waits no longer. */
async function untilStopped(answer: Promise<TokenAnswer>, signal: AbortSignal): Promise<TokenAnswer> {
  const left = Promise.withResolvers<TokenAnswer>();
  const leave = () => left.resolve(STOPPED);
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([left.promise, answer]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function exchanged(
  asker: TokenAsker,
  account: GoogleAccount,
  scopes: readonly GoogleScope[],
): Promise<Exchanged> {
  // It was looked at when the file was saved; the settings may be others since.
  if (!isTokenAddress(account.tokenUri, asker.addresses)) {
    return { ok: false, fault: faultOf("token_address_refused"), requests: 0 };
  }
  const key = await signingKey(account.privateKey);
  if (key === undefined) return { ok: false, fault: faultOf("token_request_refused"), requests: 0 };
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await assertion(account, key, scopes, asker.now()),
  });
  const result = await asker.http.request({
    url: account.tokenUri,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal: asker.signal,
    // One token more is issued, and nothing else.
    repeatable: true,
  });
  const { requests } = result;
  const answer = parseToken(result, asker.now());
  return answer.ok ? { ok: true, ...answer.value, requests } : { ok: false, fault: answer.fault, requests };
}
