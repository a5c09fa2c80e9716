import { sha256Hex } from "../lib/digest.ts";
import { type Ids, randomToken } from "../platform/ids.ts";

const SECRET_BYTES = 32;

/** A secret that a browser keeps in a cookie, and the digest that is stored of it. */
export interface BrowserSecret {
  readonly token: string;
  readonly digest: string;
}

/** Makes a secret of 32 random bytes; before the transaction, since randomness is no part of one. */
export function newBrowserSecret(ids: Ids): BrowserSecret {
  const token = randomToken(ids, SECRET_BYTES);
  return { token, digest: sha256Hex(token) };
}
