/** What an operator gives: the file of a service account as Google makes it, or a file that holds the key of webmaster tools. */
import { createPrivateKey } from "node:crypto";
import type { Provider } from "../provider/contract.ts";
import { KIND_OF } from "./contract.ts";
import { type Secret, ServiceAccount, WebmasterToolsKey } from "./secret.ts";

/** A secret, or what is wrong with each field. Nothing of the file's content is repeated. */
export type ReadFile =
  | { readonly ok: true; readonly secret: Secret; readonly notices: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Where providers are asked. */
export interface ProviderAddresses {
  readonly analyticsData: string;
  readonly analyticsAdmin: string;
  readonly searchConsole: string;
  readonly webmasterTools: string;
}

/** Where Google hands out tokens; it stands in every file that Google makes. */
const TOKEN_URI = "https://oauth2.googleapis.com/token";

/** Longest values that are taken, in characters: several times those that providers make. */
const LONGEST = { email: 320, privateKey: 20_000, id: 256, address: 2_048 } as const;

/** Reads a file for one provider. */
export function readCredentialFile(provider: Provider, text: string, addresses: ProviderAddresses): ReadFile {
  const content = text.replace(/^\uFEFF/, "").trim();
  if (content === "") return bad("the file is empty");
  return KIND_OF[provider] === "webmaster-tools-key"
    ? readKey(content, addresses)
    : readServiceAccount(content, addresses);
}

function bad(...faults: readonly string[]): ReadFile {
  return { ok: false, faults };
}

function readServiceAccount(content: string, addresses: ProviderAddresses): ReadFile {
  const read = objectIn(content);
  if (read === undefined) {
    return bad(
      /^[0-9a-f]{32}$/i.test(content)
        ? "the file must be the JSON file of a Google service account; it looks like a key of webmaster tools"
        : "the file must be the JSON file of a Google service account, and is no JSON object",
    );
  }
  if (read["type"] !== "service_account") return bad(typeFault(read));
  const { client_email: email, private_key: pem, private_key_id: id = "", token_uri: tokenUri } = read;
  const key = rsaKeyIn(pem);
  const faults = [
    fault(
      "client_email",
      isText(email, LONGEST.email) && /^[^\s@]+@[^\s@]+$/.test(email),
      "must be the account's e-mail address",
    ),
    key.ok ? undefined : `private_key ${key.must}`,
    fault("private_key_id", isText(id, LONGEST.id), "must be text"),
    tokenUriFault(tokenUri, addresses),
  ].filter((line) => line !== undefined);
  if (faults.length > 0 || !key.ok || !isText(email, LONGEST.email)) return bad(...faults);
  const facts = {
    clientEmail: email,
    privateKey: key.pem,
    privateKeyId: String(id),
    tokenUri: String(tokenUri),
  };
  return { ok: true, secret: new ServiceAccount(facts), notices: [] };
}

function typeFault(read: Readonly<Record<string, unknown>>): string {
  if (read["installed"] !== undefined || read["web"] !== undefined) {
    return 'type must be "service_account": this is the file of an OAuth client, which acts for a person';
  }
  if (read["type"] === "authorized_user") {
    return 'type must be "service_account": this is the sign-in of a person';
  }
  return 'type must be "service_account"';
}

/**
 * A signed assertion is posted to `token_uri`, so that a file from anywhere could have it sent anywhere: only Google's own address is
 * taken, and another only where a setting points away from Google, as with a simulator.
 */
function tokenUriFault(uri: unknown, addresses: ProviderAddresses): string | undefined {
  if (uri === TOKEN_URI) return undefined;
  const { analyticsData, analyticsAdmin, searchConsole } = addresses;
  if ([analyticsData, analyticsAdmin, searchConsole].every(isGoogle)) {
    return `token_uri must be ${TOKEN_URI}`;
  }
  const address = isText(uri, LONGEST.address) ? URL.parse(uri) : null;
  const fits =
    address !== null && /^https?:$/.test(address.protocol) && address.username + address.password === "";
  return fits ? undefined : "token_uri must be an http or https address";
}

function isGoogle(address: string): boolean {
  return /^https:\/\/(?:[a-z0-9-]+\.)*googleapis\.com(?:\/|$)/i.test(address);
}

/** An RSA key as PKCS#8 in PEM, which is what signs; also where line ends were written as the two characters `\n`. */
function rsaKeyIn(
  value: unknown,
): { readonly ok: true; readonly pem: string } | { readonly ok: false; readonly must: string } {
  const no = (must: string) => ({ ok: false, must }) as const;
  if (!isText(value, LONGEST.privateKey)) return no("must be the key in PEM");
  const text = value.replaceAll("\\n", "\n");
  if (/-----BEGIN (?:[A-Z]+ )?PUBLIC KEY-----|-----BEGIN CERTIFICATE-----/.test(text)) {
    return no("must be the private key: this is a public one");
  }
  if (/ENCRYPTED/.test(text)) return no("must not be encrypted with a passphrase");
  if (!/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(text)) return no("must be a private key in PEM");
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType !== "rsa") return no("must be an RSA key: this one is of another type");
    return { ok: true, pem: String(key.export({ type: "pkcs8", format: "pem" })) };
  } catch {
    return no("is not whole: it cannot be read as a private key in PEM");
  }
}

/** A key of Bing Webmaster Tools has 32 hexadecimal digits; one of a simulator may be another. */
const REAL_KEY = /^[0-9a-f]{32}$/i;
const ANY_KEY = /^[\x21-\x7e]{8,256}$/;

function readKey(content: string, { webmasterTools }: ProviderAddresses): ReadFile {
  const read = objectIn(content);
  if (read !== undefined && (read["type"] !== undefined || read["private_key"] !== undefined)) {
    return bad(
      "the file must hold the key of webmaster tools alone; this is a file of a Google account: tower credential add analytics",
    );
  }
  const key = read === undefined ? content : (read["key"] ?? read["api_key"]);
  if (read !== undefined && typeof key !== "string") return bad("key must be the key of webmaster tools");
  const text = String(key).trim();
  const isReal = /^https:\/\/(?:[a-z0-9-]+\.)*bing\.com(?:\/|$)/i.test(webmasterTools);
  if (!(isReal ? REAL_KEY : ANY_KEY).test(text)) {
    return bad(
      isReal
        ? "the file must hold the key of webmaster tools alone: 32 hexadecimal digits"
        : "the file must hold the key of webmaster tools alone: 8 to 256 visible characters on one line",
    );
  }
  return { ok: true, secret: new WebmasterToolsKey(text), notices: [] };
}

function objectIn(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(content);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : undefined;
  } catch {
    // What the parser says repeats a piece of the content.
    return undefined;
  }
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === "string" && value.length <= longest;
}

function fault(field: string, holds: boolean, must: string): string | undefined {
  return holds ? undefined : `${field} ${must}`;
}
