/** What a credential holds, opened: in memory only, just before it is used. */

import * as v from "valibot";
import { Redacted } from "../base/keys.ts";

/** A Google service account, as its key file describes it. */
export interface GoogleAccount {
  readonly kind: "google-service-account";
  readonly clientEmail: string;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  /** The key's name within the account; '' where the file does not say. */
  readonly privateKeyId: string;
  /** Where a signed assertion is exchanged for a token. */
  readonly tokenUri: string;
}

/** The key of a webmaster-tools user, which covers every site of theirs. */
interface WebmasterKey {
  readonly kind: "webmaster-tools-key";
  readonly key: string;
}

/** An account of DataForSEO: its API password, not the one of its web site. */
export interface SerpLogin {
  readonly kind: "serp-login";
  readonly login: string;
  readonly password: string;
}

export type Secret = GoogleAccount | WebmasterKey | SerpLogin;

/** A secret that prints as `[secret]`, whatever it gets into: its parts are there by name, and in no list, copy or text of it. */
export function hidden<S extends Secret>({ kind, ...parts }: S): S {
  const properties = Object.entries(parts).map(([name, value]) => [name, { value }] as const);
  return Object.defineProperties(
    Object.assign(new Redacted(), { kind }),
    Object.fromEntries(properties),
  ) as S & Redacted;
}

/** A credential, or what is wrong with its text: a sentence each, after the field's name in the file. None holds anything of the text. */
export type SecretRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Keys have 32 hexadecimal digits. What may stand in an address as it is passes, so that another length some day is no obstacle. */
const KEY = /^[A-Za-z0-9._~-]{8,256}$/;

const File = v.union([
  v.object({ api_key: v.string() }),
  v.object({ apiKey: v.string() }),
  v.object({ apikey: v.string() }),
  v.object({ key: v.string() }),
]);

const NO_KEY =
  "key: This is no key: it must be the API key as webmaster tools show it, letters and digits alone.";

export function parseWebmasterKey(text: string): SecretRead<WebmasterKey> {
  const key = keyIn(text.trim());
  return KEY.test(key)
    ? { ok: true, value: hidden({ kind: "webmaster-tools-key", key }) }
    : { ok: false, faults: [NO_KEY] };
}

function keyIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const file = v.safeParse(File, JSON.parse(text));
    return file.success ? (Object.values(file.output)[0] ?? "").trim() : "";
  } catch {
    return "";
  }
}
