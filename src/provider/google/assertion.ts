/** The signed statement that a service account exchanges for a token (RFC 7523), made with the platform's own cryptography. */
import type { GoogleAccount } from "../secret.ts";

/** Google takes no longer one: one hour from its making. */
const LIFETIME_SECONDS = 3_600;
const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const PEM = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/;

/** The bytes of a PKCS#8 key in PEM; undefined for any other text. */
function keyBytes(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const body = PEM.exec(pem)?.[1]?.replaceAll(/\s/g, "");
  return body === undefined ? undefined : new Uint8Array(Buffer.from(body, "base64"));
}

/** The key as one that signs and cannot be read out again; undefined for what is no RSA key of PKCS#8 in PEM. */
export async function signingKey(pem: string): Promise<CryptoKey | undefined> {
  const bytes = keyBytes(pem);
  if (bytes === undefined) return undefined;
  try {
    return await crypto.subtle.importKey("pkcs8", bytes, RS256, false, ["sign"]);
  } catch {
    return undefined;
  }
}

/** A JWT (RS256) by which `account` asks for `scopes` at its token address, from `now` (milliseconds since the epoch) for an hour. */
export async function assertion(
  account: GoogleAccount,
  key: CryptoKey,
  scopes: readonly string[],
  now: number,
): Promise<string> {
  const issued = Math.floor(now / 1_000);
  const kid = account.privateKeyId;
  const header = { alg: "RS256", typ: "JWT", ...(kid === "" ? {} : { kid }) };
  const claims = {
    iss: account.clientEmail,
    scope: scopes.join(" "),
    aud: account.tokenUri,
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
  };
  const signed = `${part(JSON.stringify(header))}.${part(JSON.stringify(claims))}`;
  const signature = await crypto.subtle.sign(RS256.name, key, new TextEncoder().encode(signed));
  return `${signed}.${part(new Uint8Array(signature))}`;
}

function part(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
