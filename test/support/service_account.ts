/** Where Google hands out tokens. */

import { generateKeyPairSync } from "node:crypto";

export const GOOGLE_TOKEN_URI = "https://oauth2.googleapis.com/token";
/** A key as webmaster tools makes them. */
export const WEBMASTER_KEY = "0123456789abcdef0123456789abcdef";

const pairs = new Map<string, ReturnType<typeof makePair>>();

function makePair() {
  return generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** A pair of RSA keys in PEM, the same one for the same name. */
export function rsaPair(name = "first") {
  const pair = pairs.get(name) ?? makePair();
  pairs.set(name, pair);
  return pair;
}

/** What the file of a service account says. `key` names its key: another name is another key of the same account. */
export function serviceAccount(
  change: { readonly email?: string; readonly key?: string; readonly tokenUri?: string } = {},
) {
  const {
    email = "tower@harbor.iam.gserviceaccount.com",
    key = "first",
    tokenUri = GOOGLE_TOKEN_URI,
  } = change;
  return {
    type: "service_account",
    project_id: "harbor",
    private_key_id: `id-of-${key}`,
    private_key: rsaPair(key).privateKey,
    client_email: email,
    client_id: "1234567890",
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: tokenUri,
    universe_domain: "googleapis.com",
  };
}

/** The file of a service account, as text. */
export function serviceAccountFile(change?: Parameters<typeof serviceAccount>[0]): string {
  return JSON.stringify(serviceAccount(change), null, 2);
}
