/** The file an operator gives: that of a service account as Google makes it, a file that holds the key of webmaster tools, or the login of DataForSEO. */

import type { Config } from "../base/config.ts";
import type { AccountProvider } from "./adapter.ts";
import { type CredentialKind, KIND_OF } from "./credentials.ts";
import { parseWebmasterKey, type Secret, type SecretRead } from "./secret.ts";
import { parseSerpLogin } from "./serp.ts";
import { parseServiceAccount } from "./service_account.ts";

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
  if (read.ok) return { ok: true, secret: read.value };
  return {
    ok: false,
    faults: read.errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)),
  };
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
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    // What the parser says repeats a piece of the content.
    return undefined;
  }
}
