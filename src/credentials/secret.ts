/** A secret between the row that keeps it and whoever asks with it: as the text that is sealed, and as what it is known again by. */
import { HiddenGoogleAccount, HiddenSerpLogin, HiddenWebmasterKey, type Secret } from "../provider/secret.ts";

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
export function secretOf(text: string): Secret {
  const read = JSON.parse(text) as Secret;
  if (read.kind === "serp-login") return new HiddenSerpLogin(read);
  return read.kind === "webmaster-tools-key"
    ? new HiddenWebmasterKey(read.key)
    : new HiddenGoogleAccount(read);
}
