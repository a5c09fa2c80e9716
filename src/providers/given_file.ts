/**
 * The file an operator gives: that of a service account as Google makes it, a file that holds the key of webmaster tools, or the login of
 * DataForSEO. Below, what commonly goes wrong on the way to it.
 */

import type { Config } from "../base/config.ts";
import type { AccountProvider } from "./adapter.ts";
import { type CredentialKind, KIND_OF } from "./credentials.ts";
import { isTokenAddress, signingKey } from "./google.ts";
import { type GoogleAccount, hidden, parseWebmasterKey, type Secret, type SecretRead } from "./sealing.ts";
import { parseSerpLogin } from "./serp.ts";

// Reading a service account's key file, as Google's console hands it out.

/** Key files have about 2.5 KB. */
const LONGEST = 65_536;
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;

/** Reads the text of a key file; every broken rule at once. The key is really imported, so that what is saved can sign. */
export async function parseServiceAccount(
  text: string,
  addresses: Config["providers"],
): Promise<SecretRead<GoogleAccount>> {
  const file = text.length > LONGEST ? undefined : objectIn(text);
  if (file === undefined || !MARKS.some((mark) => mark in file)) return { ok: false, faults: [NO_FILE] };
  const parts: GoogleAccount = {
    kind: "google-service-account",
    clientEmail: textOf(file, "client_email"),
    privateKey: textOf(file, "private_key"),
    privateKeyId: textOf(file, "private_key_id"),
    tokenUri: textOf(file, "token_uri"),
  };
  const { clientEmail, privateKey, privateKeyId, tokenUri } = parts;
  const isMailbox = EMAIL.test(clientEmail) && clientEmail.length <= 320;
  const faults = [
    typeFault(textOf(file, "type")),
    !isMailbox && "client_email: The account's e-mail address is missing, or is none.",
    (await signingKey(privateKey)) === undefined && keyFault(privateKey),
    privateKeyId.length > 200 && "private_key_id: The key's id is longer than 200 characters.",
    !isTokenAddress(tokenUri, addresses) &&
      "token_uri: The address to sign in at must be https://oauth2.googleapis.com/token.",
  ].filter((fault) => typeof fault === "string");
  return faults.length === 0 ? { ok: true, value: hidden(parts) } : { ok: false, faults };
}

function textOf(file: Readonly<Record<string, unknown>>, field: string): string {
  const value = file[field];
  return typeof value === "string" ? value : "";
}

function typeFault(type: string): string | false {
  if (type === "service_account") return false;
  const what = type === "" ? "It does not say what it is" : "It is the file of another kind of account";
  return `type: ${what}: the key file of a service account has the type service_account.`;
}

const keyFault = (pem: string): string =>
  /-----BEGIN (?!PRIVATE KEY)[A-Z ]+-----/.test(pem)
    ? "private_key: The key is in another form: it must stand between BEGIN PRIVATE KEY and END PRIVATE KEY, as in the file that Google hands out."
    : "private_key: The key cannot be used: it must be a whole RSA key in PEM, as in the file that Google hands out.";

/** Without any of these a file is of something else altogether, and its fields say nothing. */
const MARKS = ["private_key", "client_email", "private_key_id"] as const;
const NO_FILE =
  "This is no key file: it must be the JSON file that Google hands out for a service account's key.";

type Reader = (
  content: string,
  addresses: Config["providers"],
) => SecretRead<Secret> | Promise<SecretRead<Secret>>;

const READERS: Readonly<Record<CredentialKind, Reader>> = {
  // Line ends that were written as two characters, as they are in an environment variable.
  "google-service-account": (content, addresses) =>
    parseServiceAccount(content.replaceAll("\\\\n", "\\n"), addresses),
  "webmaster-tools-key": parseWebmasterKey,
  "serp-login": parseSerpLogin,
};

/**
 * Reads a file for one provider: a secret, or what is wrong, each with the field it is about. Nothing of the file's content is repeated.
 */
export async function readCredentialFile(
  provider: AccountProvider,
  text: string,
  addresses: Config["providers"],
) {
  // With its byte order mark.
  const content = text.trim();
  const kind = KIND_OF[provider];
  const other = mistaken(kind, content);
  if (other !== undefined) return { ok: false, faults: [other] } as const;
  const read = await READERS[kind](content, addresses);
  return read.ok ? ({ ok: true, secret: read.value } as const) : read;
}

/** What a file is that is no credential of this kind, where it can be told. */
function mistaken(kind: CredentialKind, content: string): string | undefined {
  if (content === "") return "The file is empty.";
  if (kind === "serp-login") return undefined;
  const read = objectIn(content);
  if (kind === "webmaster-tools-key") {
    return read?.["private_key"] === undefined
      ? undefined
      : "This is the key file of a Google account, no key of webmaster tools: add it as one of analytics or search console.";
  }
  if (read === undefined) {
    return /^[0-9a-f]{32}$/i.test(content)
      ? "This looks like a key of webmaster tools, and is no key file of a Google account: add it as one of webmaster tools."
      : undefined;
  }
  return read["installed"] === undefined && read["web"] === undefined && read["type"] !== "authorized_user"
    ? undefined
    : "type: This file is of an OAuth client or of a person's sign-in: the key file of a service account is needed, of type service_account.";
}

function objectIn(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(content);
    const isObject = typeof read === "object" && read !== null && !Array.isArray(read);
    return isObject ? (read as Record<string, unknown>) : undefined;
  } catch {
    // What the parser says repeats a piece of the content.
    return undefined;
  }
}

// The common problems of setting up an account, each with what to do.

interface Trap {
  readonly providers: readonly AccountProvider[];
  /** What is so. */
  readonly says: string;
  /** What to do about it. */
  readonly action: string;
  /** Codes of the faults (`FAULT_CODES`) that it is the usual reason of. */
  readonly codes: readonly string[];
}

export const TRAPS: readonly Trap[] = [
  {
    providers: ["analytics"],
    says: "A new service account sees no property.",
    action:
      "Add its address (client_email in the file) to each property as a viewer: Admin, Property access management.",
    codes: ["no_property", "property_denied"],
  },
  {
    providers: ["search-console"],
    says: "A new service account sees no property.",
    action:
      "Add its address (client_email in the file) to each property as a user: Settings, Users and permissions. Restricted is enough.",
    codes: ["no_property", "property_denied"],
  },
  {
    providers: ["analytics", "search-console"],
    says: "The APIs of a new project are off.",
    action:
      "Enable the Google Analytics Data API, Google Analytics Admin API and Google Search Console API. Then wait a few minutes.",
    codes: ["api_disabled"],
  },
  {
    providers: ["search-console"],
    says: "sc-domain:shop.example and https://shop.example/ are two properties with separate users.",
    action: "Attach the one that the account was added to, exactly as it is listed.",
    codes: ["property_denied", "not_a_site"],
  },
  {
    providers: ["search-console"],
    says: "An unverified user sees a property in the list, but gets no data.",
    action: "Have an owner of the property add the account as a user.",
    codes: ["property_denied"],
  },
  {
    providers: ["analytics"],
    says: "Event parameters need to be registered as custom dimensions.",
    action:
      "Register error_message and error_source with the scope Event: Admin, Custom definitions. Values come after one or two days.",
    codes: ["analytics_custom_dimension_unregistered"],
  },
  {
    providers: ["webmaster-tools"],
    says: "A new key may be refused for about 30 minutes.",
    action: "Wait half an hour, and test again.",
    codes: ["key_refused"],
  },
  {
    providers: ["serp"],
    says: "DataForSEO has two passwords.",
    action: "Use the API password (API Access in its dashboard), not the one of the web site.",
    codes: ["signed_out"],
  },
  {
    providers: ["webmaster-tools"],
    says: "A site that is not verified in webmaster tools is listed without data.",
    action: "Verify it there, under the user whose key this is.",
    codes: ["no_property", "property_denied"],
  },
];

/** What to know before an account is used for a provider. */
export function trapsOf(provider: AccountProvider): readonly Trap[] {
  return TRAPS.filter(({ providers }) => providers.includes(provider));
}

/** What is most likely wrong where a provider's answer came to this code of a fault. */
export function trapsBehind(code: string, provider: AccountProvider): readonly Trap[] {
  return trapsOf(provider).filter(({ codes }) => codes.includes(code));
}
