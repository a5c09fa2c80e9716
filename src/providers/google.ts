/**
 * What all Google APIs here share: access tokens of service accounts, exchanged when they are needed, kept in memory alone and shared by
 * all who ask at once; and the errors that they answer with.
 */

import * as v from "valibot";
import type { Config } from "../base/config.ts";
import { entryOf } from "../base/contract.ts";
import { type HttpClient, type HttpResult, MAX_RETRY_AFTER_MS } from "../base/http_client.ts";
import { type AnswerSeen, codeOfStatus, type ErrorTable, objectOf, readAnswer } from "./answers.ts";
import { type Fault, type FaultCode, faultOf, refused } from "./faults.ts";
import type { GoogleAccount } from "./sealing.ts";

export type GoogleScope =
  | "https://www.googleapis.com/auth/analytics.readonly"
  | "https://www.googleapis.com/auth/webmasters.readonly";

/** Who asks for a token. */
export interface TokenAsker {
  readonly http: HttpClient;
  /** Base addresses of the providers. */
  readonly addresses: Config["providers"];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives up what is under way; nothing more is sent then. */
  readonly signal: AbortSignal;
  /** The connection that the secret is of: a token of one is never used for another. */
  readonly connectionRevision: string;
}

/** `requests` counts those of the exchange that this question began: whoever waits for another's sent none. */
type TokenAnswer =
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

/** A token is replaced this long before it ends, so that none ends on its way. */
const EARLY_MS = 120_000;
/** Replaced connections leave tokens behind, which nobody asks for again. */
const MOST_KEPT = 512;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 65_536;

export class GoogleTokens {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<Exchanged>>();

  /** A token for a scope, kept from before or exchanged now. One exchange at a time for a connection and its scope. */
  async token(asker: TokenAsker, account: GoogleAccount, scope: GoogleScope): Promise<TokenAnswer> {
    if (asker.signal.aborted) return STOPPED;
    const key = keyOf(asker, account, scope);
    const kept = this.#kept.get(key);
    if (kept !== undefined && asker.now() < kept.until) return { ok: true, token: kept.token, requests: 0 };
    this.#kept.delete(key);
    const joined = this.#underWay.get(key);
    const answer = await untilStopped(joined ?? this.#begin(key, asker, account, scope), asker.signal);
    return joined === undefined ? answer : { ...answer, requests: 0 };
  }

  /** Forgets a token that was refused, unless another one stands in its place already. */
  drop(asker: TokenAsker, account: GoogleAccount, scope: GoogleScope, token: string): void {
    const key = keyOf(asker, account, scope);
    if (this.#kept.get(key)?.token === token) this.#kept.delete(key);
  }

  /** Whoever began it may leave: it goes on for those who wait, no longer than its time limit. */
  #begin(key: string, asker: TokenAsker, account: GoogleAccount, scope: GoogleScope): Promise<Exchanged> {
    const exchange = exchanged(asker, account, scope)
      .then((got) => {
        if (got.ok)
          this.#keep(key, got.token, asker.now() + got.lastsMs - Math.min(EARLY_MS, got.lastsMs / 4));
        return got;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, exchange);
    return exchange;
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
  scope: GoogleScope,
): string {
  return JSON.stringify([connectionRevision, clientEmail, privateKeyId, scope]);
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

async function exchanged(asker: TokenAsker, account: GoogleAccount, scope: GoogleScope): Promise<Exchanged> {
  // It was looked at when the file was saved; the settings may be others since.
  if (!isTokenAddress(account.tokenUri, asker.addresses)) {
    return { ok: false, fault: faultOf("token_address_refused"), requests: 0 };
  }
  const key = await signingKey(account.privateKey);
  if (key === undefined) return { ok: false, fault: faultOf("token_request_refused"), requests: 0 };
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await assertion(account, key, scope, asker.now()),
  });
  const result = await asker.http.request({
    url: account.tokenUri,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    // One token more is issued, and nothing else.
    repeatable: true,
  });
  const { requests } = result;
  const answer = parseToken(result, asker.now());
  return answer.ok ? { ok: true, ...answer.value, requests } : { ok: false, fault: answer.fault, requests };
}

/** The signed statement that a service account exchanges for a token (RFC 7523), made with the platform's own cryptography. */

/** Google takes no longer one: one hour from its making. */
const LIFETIME_SECONDS = 3_600;
const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const PEM = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/;

/** The bytes of a PKCS#8 key in PEM; undefined for any other text. */
function keyBytes(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const body = PEM.exec(pem)?.[1]?.replaceAll(/\s/g, "");
  return body === undefined ? undefined : new Uint8Array(Buffer.from(body, "base64"));
}

/** The key as one that signs and cannot be read out again; undefined for what is no RSA key of PKCS#8 in PEM. */
export async function signingKey(pem: string): Promise<CryptoKey | undefined> {
  const bytes = keyBytes(pem);
  if (bytes === undefined) return undefined;
  try {
    return await crypto.subtle.importKey("pkcs8", bytes, RS256, false, ["sign"]);
  } catch {
    return undefined;
  }
}

/** A JWT (RS256) by which `account` asks for `scope` at its token address, from `now` (milliseconds since the epoch) for an hour. */
async function assertion(account: GoogleAccount, key: CryptoKey, scope: string, now: number) {
  const issued = Math.floor(now / 1_000);
  const kid = account.privateKeyId;
  const header = { alg: "RS256", typ: "JWT", ...(kid === "" ? {} : { kid }) };
  const claims = {
    iss: account.clientEmail,
    scope,
    aud: account.tokenUri,
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
  };
  const signed = `${part(JSON.stringify(header))}.${part(JSON.stringify(claims))}`;
  const signature = await crypto.subtle.sign(RS256.name, key, new TextEncoder().encode(signed));
  return `${signed}.${part(new Uint8Array(signature))}`;
}

function part(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

const Refusal = objectOf({ error: v.string(), error_description: v.optional(v.unknown()) });

const Token = objectOf({
  // Visible signs alone: anything else would be no header.
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,16384}$/)),
  expires_in: v.optional(v.unknown()),
  token_type: v.optional(v.pipe(v.string(), v.regex(/^bearer$/i))),
});

/** How long a token is taken to last that does not say so, and at most. */
const UNSAID_SECONDS = 300;
const MOST_SECONDS = 86_400;

/**
 * The token of an answer. A scope that Google does not know, alone or beside a known one, is answered with 200 and an `id_token` in
 * the place of the `access_token`.
 */
export function parseToken(result: HttpResult, now: number) {
  const answer = readAnswer(result, tokenFault, now);
  if (!answer.ok) return answer;
  const token = v.safeParse(Token, answer.value.json);
  if (!token.success) return refused("no_access_token");
  const { access_token, expires_in } = token.output;
  return { ok: true, value: { token: access_token, lastsMs: secondsOf(expires_in) * 1_000 } } as const;
}

/** A number, or its text; whatever else stands there, the token is one all the same. */
function secondsOf(told: unknown): number {
  const seconds = typeof told === "number" || typeof told === "string" ? Number(told) : 0;
  return seconds > 0 ? Math.min(seconds, MOST_SECONDS) : UNSAID_SECONDS;
}

function tokenFault({ json, status, retryAfterMs }: AnswerSeen): Fault | undefined {
  const refusal = v.safeParse(Refusal, json);
  if (!refusal.success || status >= 500 || status === 429) return undefined;
  const { error, error_description: words } = refusal.output;
  return faultOf(tokenCode(error, typeof words === "string" ? words : ""), { retryAfterMs });
}

/**
 * `invalid_grant` is said of a wrong clock as of a deleted key; only its description tells them apart. Of those known, two are the
 * account's: every other one is how we asked.
 */
function tokenCode(error: string, description: string): FaultCode {
  if (error !== "invalid_grant") return entryOf(OAUTH, error) ?? "token_request_refused";
  return GRANTS.find(([words]) => description.includes(words))?.[1] ?? "key_refused";
}

const OAUTH: Readonly<Record<string, FaultCode>> = {
  unsupported_grant_type: "token_request_refused",
  invalid_request: "token_request_refused",
  invalid_scope: "token_request_refused",
  // Said of accounts that were disabled or whose project is gone.
  unauthorized_client: "account_gone",
  access_denied: "account_gone",
  invalid_client: "account_gone",
  disabled_client: "account_gone",
  deleted_client: "account_gone",
  temporarily_unavailable: "provider_failed",
  internal_failure: "provider_failed",
  server_error: "provider_failed",
  rate_limit_exceeded: "rate_limited",
};

const GRANTS: readonly (readonly [words: string, code: FaultCode])[] = [
  ["Invalid JWT Signature", "key_refused"],
  ["account not found", "account_gone"],
  ["short-lived token", "clock_skew"],
  ["is not set", "token_request_refused"],
  ["audience", "token_request_refused"],
];

/** Where an assertion may be posted: a credential file names the address itself, so that whoever wrote the file could choose it. */

const GOOGLES_OWN = "https://oauth2.googleapis.com/token";

/**
 * Whether a file's `token_uri` is taken: Google's own address, and another one only while a base address of Google's APIs is set to
 * somewhere else, as it is with a simulator.
 */
export function isTokenAddress(address: string, addresses: Config["providers"]): boolean {
  if (address === GOOGLES_OWN) return true;
  const url = URL.parse(address);
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  const { analyticsData, analyticsAdmin, searchConsole } = addresses;
  return plain && ![analyticsData, analyticsAdmin, searchConsole].every(isGoogles);
}

function isGoogles(base: string): boolean {
  const host = URL.parse(base)?.hostname ?? "";
  return host === "googleapis.com" || host.endsWith(".googleapis.com");
}

// The errors that every Google API here answers with: one envelope, in a newer and in an older form.

/** An error as Google tells it; what it does not tell is undefined, or empty. */
export type GoogleError = NonNullable<ReturnType<typeof errorIn>>;

/** What one API says in its own way, asked before the common table; undefined where it is nothing of its own. */
export type OwnErrors = (error: GoogleError) => Fault | FaultCode | undefined;

/** The errors of a Google API: its own first, then those of all. `denied` is what a refusal without a reason means there. */
export function googleErrors(denied: FaultCode, own: OwnErrors = () => undefined): ErrorTable {
  return (answer) => {
    const error = errorIn(answer);
    if (error === undefined) return undefined;
    const found = own(error) ?? commonCode(error, denied);
    const fault = typeof found === "string" ? faultOf(found) : found;
    return { ...fault, ...retryAfterOf(answer) };
  };
}

function retryAfterOf({ retryAfterMs, json }: AnswerSeen): Pick<Fault, "retryAfterMs"> {
  const known = retryAfterMs ?? retryDelayIn(json);
  return known === undefined ? {} : { retryAfterMs: known };
}

function commonCode({ status, name, reasons }: GoogleError, denied: FaultCode): FaultCode {
  for (const reason of reasons) {
    const code = entryOf(REASONS, reason);
    if (code !== undefined) return code;
  }
  if (status === 403 || name === "PERMISSION_DENIED") return denied;
  // The API answers, so that its address is right: what it does not find is what was asked for.
  if (status === 404) return "request_refused";
  return entryOf(NAMES, name) ?? codeOfStatus(status ?? 500);
}

/** Reasons that mean the same wherever they come from. A 403 is no refusal of access before they are read. */
const REASONS: Readonly<Record<string, FaultCode>> = {
  SERVICE_DISABLED: "api_disabled",
  accessNotConfigured: "api_disabled",
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: "scope_missing",
  CREDENTIALS_MISSING: "signed_out",
  ACCESS_TOKEN_EXPIRED: "signed_out",
  authError: "signed_out",
  RATE_LIMIT_EXCEEDED: "rate_limited",
  rateLimitExceeded: "rate_limited",
  userRateLimitExceeded: "rate_limited",
  quotaExceeded: "account_quota",
  dailyLimitExceeded: "account_quota",
  backendError: "provider_failed",
};

const NAMES: Readonly<Record<string, FaultCode>> = {
  UNAUTHENTICATED: "signed_out",
  RESOURCE_EXHAUSTED: "rate_limited",
  INVALID_ARGUMENT: "request_refused",
  FAILED_PRECONDITION: "request_refused",
  INTERNAL: "provider_failed",
  UNAVAILABLE: "provider_failed",
  DEADLINE_EXCEEDED: "provider_failed",
};

/** The error of an answer, with whatever status it came. */
function errorIn({ json, status }: AnswerSeen) {
  const error = partOf(json, "error");
  if (error === undefined || error === null) return undefined;
  const code = partOf(error, "code");
  const isCode = typeof code === "number" && code >= 400 && code < 600;
  return {
    /** The envelope's own code; where it has none the answer's status, and undefined where that is no error either. */
    status: isCode ? code : status >= 400 ? status : undefined,
    /** Such as `PERMISSION_DENIED`; search console leaves it out. */
    name: textOf(error, "status"),
    /** Looked into for what nothing else tells; never shown. */
    message: textOf(error, "message"),
    /** Of the newer form's `ErrorInfo` and of the older form's list. */
    reasons: [...listOf(error, "details"), ...listOf(error, "errors")]
      .map((item) => textOf(item, "reason"))
      .filter((reason) => reason !== ""),
  };
}

/** Other Google APIs say in the error itself how long to wait: `"retryDelay": "2.460s"`. */
function retryDelayIn(json: unknown): number | undefined {
  for (const detail of listOf(partOf(json, "error"), "details")) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(detail, "retryDelay"))?.[1];
    const ms = Math.ceil(Number(seconds ?? 0) * 1_000);
    if (ms > 0) return Math.min(ms, MAX_RETRY_AFTER_MS);
  }
  return undefined;
}

function partOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function textOf(value: unknown, key: string): string {
  const part = partOf(value, key);
  return typeof part === "string" ? part : "";
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const part = partOf(value, key);
  return Array.isArray(part) ? part : [];
}
