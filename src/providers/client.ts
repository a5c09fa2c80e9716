/** The client of one connection, and the one place where a provider's API is asked. */

import type { Clock } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import type { BodySink, HttpClient } from "../base/http_client.ts";
import { type Body, type ErrorTable, readAnswer } from "./answers.ts";
import { type Outcome, refused } from "./faults.ts";
import type { GoogleScope, GoogleTokens, TokenAsker } from "./google.ts";
import type { Secret } from "./sealing.ts";

export interface ProviderClient extends TokenAsker {
  readonly tokens: GoogleTokens;
  readonly secret: Secret;
}

/** What the service has of it, whoever is asked. */
export interface ClientGround {
  /** The way out of the service: everything that is asked of others goes through it. */
  readonly http: HttpClient;
  readonly googleTokens: GoogleTokens;
  readonly config: Config;
  readonly clock: Clock;
}

/** A client for one connection, for as long as `signal` lets it. */
export function providerClient(
  { http, googleTokens, config, clock }: ClientGround,
  of: Pick<ProviderClient, "secret" | "connectionRevision" | "signal">,
): ProviderClient {
  return {
    ...of,
    http,
    tokens: googleTokens,
    addresses: config.providers,
    now: () => clock.now(),
  };
}

/** What a question came to, with the requests that were sent for it: those for a token and repeated ones too. */
export interface Asked<T> {
  readonly outcome: Outcome<T>;
  readonly requests: number;
}

/** One question to an API. Every one here only reads, whatever its method, so it may be sent again unless that costs money. */
export interface Question {
  readonly url: string;
  /** Sent as JSON by POST; without it the question is a GET. */
  readonly body?: unknown;
  /** The header of who asks, where that is no access token. */
  readonly authorization?: string;
  /** Each request is charged: what may have reached the provider is not sent again. */
  readonly isPaid?: true;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The API's errors. */
  readonly errors: ErrorTable;
  /** Where a large answer goes instead of memory. It is given the access token that the question is sent with, where there is one. */
  readonly into?: (accessToken: string | undefined) => BodySink;
}

export const OF_ANOTHER_KIND = { outcome: refused("credential_of_another_kind"), requests: 0 };

/** Asks with the token of a service account. One that is refused is dropped, and a fresh one tried once. */
export async function askGoogle(
  client: ProviderClient,
  scope: GoogleScope,
  question: Question,
): Promise<Asked<Body>> {
  const { secret, tokens } = client;
  if (secret.kind !== "google-service-account") return OF_ANOTHER_KIND;
  let requests = 0;
  for (let isFirst = true; ; isFirst = false) {
    const token = await tokens.token(client, secret, scope);
    requests += token.requests;
    if (!token.ok) return { outcome: { ok: false, fault: token.fault }, requests };
    const asked = await ask(client, question, token.token);
    requests += asked.requests;
    const { outcome } = asked;
    if (outcome.ok || outcome.fault.code !== "signed_out") return { outcome, requests };
    tokens.drop(client, secret, scope, token.token);
    if (!isFirst) return { outcome, requests };
  }
}

/** Asks with an access token, or with nothing but the address, which holds the key where there is one. */
export async function ask(
  client: ProviderClient,
  question: Question,
  accessToken?: string,
): Promise<Asked<Body>> {
  const { body, url, timeoutMs, maxBytes, errors, isPaid } = question;
  const authorization = accessToken === undefined ? question.authorization : `Bearer ${accessToken}`;
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    accept: "application/json",
  };
  const posted =
    body === undefined
      ? { method: "GET" as const, headers }
      : {
          method: "POST" as const,
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const into = question.into?.(accessToken);
  const result = await client.http.request({
    url,
    ...posted,
    timeoutMs,
    maxBytes,
    signal: client.signal,
    repeatable: isPaid !== true,
    ...(isPaid === true ? { retries: 1 } : {}),
    ...(into === undefined ? {} : { into }),
  });
  return { outcome: readAnswer(result, errors, client.now()), requests: result.requests };
}

/** What an answer comes to when it is read. */
export function read<From, To>(asked: Asked<From>, parse: (value: From) => Outcome<To>): Asked<To> {
  const { outcome, requests } = asked;
  return { outcome: outcome.ok ? parse(outcome.value) : outcome, requests };
}
