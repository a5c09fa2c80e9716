/** The file an operator gives: that of a service account as Google makes it, a file that holds the key of webmaster tools, or the login of DataForSEO. */

import type { Config } from "../base/config.ts";
import type { AccountProvider } from "./adapter.ts";
import { type CredentialKind, KIND_OF } from "./credentials.ts";
import { isTokenAddress, signingKey } from "./google_tokens.ts";
import { type GoogleAccount, hidden, parseWebmasterKey, type Secret, type SecretRead } from "./secret.ts";
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

/** A secret, or what is wrong, each with the field it is about. Nothing of the file's content is repeated. */
export type ReadFile =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Reads a file for one provider. */
export async function readCredentialFile(
  provider: AccountProvider,
  text: string,
  addresses: Config["providers"],
): Promise<ReadFile> {
  const content = text.replace(/^\uFEFF/, "").trim();
  const kind = KIND_OF[provider];
  const other = mistaken(kind, content);
  if (other !== undefined) return { ok: false, faults: [other] };
  const read: SecretRead<Secret> =
    kind === "webmaster-tools-key"
      ? parseWebmasterKey(content)
      : kind === "serp-login"
        ? parseSerpLogin(content)
        : // Line ends that were written as two characters, as they are in an environment variable.
          await parseServiceAccount(content.replaceAll("\\\\n", "\\n"), addresses);
  return read.ok ? { ok: true, secret: read.value } : read;
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
