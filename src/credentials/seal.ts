/**
 * A sealed credential belongs to its row: to the row's id, the edit revision and the key that it was sealed with. What is put into
 * another row, or is of an earlier edit, opens no more.
 */
import type { SealingKey } from "../platform/sealing.ts";
import { HiddenGoogleAccount, HiddenSerpLogin, HiddenWebmasterKey, type Secret } from "../provider/secret.ts";

/** Which row a secret is sealed for. */
interface SealedFor {
  readonly id: string;
  readonly edit_revision: number;
}

/** Seals a secret for its row; `nonce` is fresh and random. */
export function sealSecret(key: SealingKey, row: SealedFor, secret: Secret, nonce: Uint8Array): string {
  return key.seal(textOf(secret), boundTo(row, key.id), nonce);
}

/** The secret of a row; undefined where its seal does not hold. */
export function openSecret(
  key: SealingKey,
  row: SealedFor & { readonly sealed: string },
): Secret | undefined {
  const text = key.open(row.sealed, boundTo(row, key.id));
  return text === undefined ? undefined : secretOf(text);
}

function boundTo({ id, edit_revision }: SealedFor, keyId: string): string {
  return `credential|${id}|${edit_revision}|${keyId}`;
}

/** A secret between the row that keeps it and whoever asks with it: as the text that is sealed, and as what it is known again by. */

/**
 * What a secret is known again by: the account, whichever of its keys this is. Nothing in a key of webmaster tools names its user, so
 * that it is known by itself alone.
 */
export function accountOf(secret: Secret): string {
  if (secret.kind === "serp-login") return secret.login.toLowerCase();
  return (secret.kind === "google-service-account" ? secret.clientEmail : secret.key).toLowerCase();
}

/** What is sealed. */
export function textOf(secret: Secret): string {
  if (secret.kind === "webmaster-tools-key") return JSON.stringify({ kind: secret.kind, key: secret.key });
  if (secret.kind === "serp-login") {
    return JSON.stringify({
      kind: secret.kind,
      login: secret.login,
      password: secret.password,
    });
  }
  const { kind, clientEmail, privateKey, privateKeyId, tokenUri } = secret;
  return JSON.stringify({ kind, clientEmail, privateKey, privateKeyId, tokenUri });
}

/** The secret of a text that was sealed. It was checked before it was sealed, and the seal lets nothing of it change. */
function secretOf(text: string): Secret {
  const read = JSON.parse(text) as Secret;
  if (read.kind === "serp-login") return new HiddenSerpLogin(read);
  return read.kind === "webmaster-tools-key"
    ? new HiddenWebmasterKey(read.key)
    : new HiddenGoogleAccount(read);
}
