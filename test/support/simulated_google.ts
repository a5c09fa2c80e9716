/** Asking the simulators as a client of Google would, written without the adapters: what they assert here stands on its own. */

import { expect } from "bun:test";
import { createSign } from "node:crypto";
import type { Simulators } from "../../src/demo/simulator/simulators.ts";
import { brief } from "./brief.ts";

export const ANALYTICS = "https://www.googleapis.com/auth/analytics.readonly";
export const WEBMASTERS = "https://www.googleapis.com/auth/webmasters.readonly";
export const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A signed assertion of a key file; `change` says what of its claims, header or signature is otherwise. */
export function assertionOf(
  keyFile: string,
  now: number,
  change: {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
    readonly signature?: string;
  } = {},
): string {
  const { client_email, private_key, private_key_id } = JSON.parse(keyFile) as Record<string, string>;
  const iat = Math.floor(now / 1_000);
  const claims = {
    iss: client_email,
    scope: `${ANALYTICS} ${WEBMASTERS}`,
    aud: "https://oauth2.googleapis.com/token",
    iat,
    exp: iat + 3_600,
    ...change.claims,
  };
  const signed = `${part({ alg: "RS256", typ: "JWT", kid: private_key_id, ...change.header })}.${part(claims)}`;
  const signature =
    change.signature ??
    createSign("RSA-SHA256")
      .update(signed)
      .sign(private_key ?? "", "base64url");
  return `${signed}.${signature}`;
}

/** Sends the form of an exchange. */
export function exchange(simulators: Simulators, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${simulators.urls.token}/token`, { method: "POST", body: new URLSearchParams(form) });
}

/** The header of an access token for every scope, or those given. */
export async function authorized(
  simulators: Simulators,
  now: number,
  options: { readonly account?: string; readonly scope?: string } = {},
): Promise<{ readonly authorization: string }> {
  const keyFile = simulators.serviceAccount(
    options.account === undefined ? {} : { account: options.account },
  );
  const claims = options.scope === undefined ? {} : { scope: options.scope };
  const answer = await exchange(simulators, {
    grant_type: GRANT,
    assertion: assertionOf(keyFile, now, { claims }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

/** An answer, recorded whole beside the test, also what the test does not ask of it. */
export async function recorded(answer: Promise<Response>): Promise<Response> {
  const given = await answer;
  const text = await given.clone().text();
  expect([given.status, given.headers.get("content-type"), brief(text, 3_000)]).toMatchSnapshot();
  return given;
}

/** The status of an answer with its JSON. */
export async function told(answer: Promise<Response>): Promise<readonly [number, Told]> {
  const given = await recorded(answer);
  return [given.status, (await given.json()) as Told];
}

/** What an answer may hold, as far as tests look into it. */
export interface Told {
  readonly rows?: readonly { readonly keys?: readonly string[] }[];
}
