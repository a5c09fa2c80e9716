/** What the token address answers: flat OAuth errors, not the envelope of Google's APIs. */
import * as v from "valibot";
import { entryOf } from "../../lib/entry_of.ts";
import type { HttpResult } from "../../platform/http.ts";
import { type AnswerSeen, judgeAnswer } from "../answer.ts";
import type { Fault, Outcome } from "../contract.ts";
import { faultOf, refused } from "../fault.ts";
import type { FaultCode } from "../fault_codes.ts";
import { objectOf } from "../read_json.ts";

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

export interface IssuedToken {
  readonly token: string;
  readonly lastsMs: number;
}

/**
 * The token of an answer. A scope that Google does not know, alone or beside a known one, is answered with 200 and an `id_token` in
 * the place of the `access_token`.
 */
export function parseToken(result: HttpResult, now: number): Outcome<IssuedToken> {
  const answer = judgeAnswer(result, tokenFault, now);
  if (!answer.ok) return answer;
  const token = v.safeParse(Token, answer.value.json);
  if (!token.success) return refused("no_access_token");
  const { access_token, expires_in } = token.output;
  return { ok: true, value: { token: access_token, lastsMs: secondsOf(expires_in) * 1_000 } };
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
