/** A service account as it is stored; `key` names its key. */

import type { Deps } from "../../src/app/app.ts";
import { hidden, type Secret } from "../../src/providers/sealing.ts";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { GOOGLE_TOKEN_URI, rsaPair, WEBMASTER_KEY } from "./service_account.ts";

export function accountSecret(email = "tower@harbor.example", key = "first", tokenUri = GOOGLE_TOKEN_URI) {
  return hidden({
    kind: "google-service-account",
    clientEmail: email,
    privateKey: rsaPair(key).privateKey,
    privateKeyId: `id-of-${key}`,
    tokenUri,
  });
}

/** Stores an account for a provider and returns its credential. */
export async function storedCredential(
  deps: Deps,
  provider: "analytics" | "search-console" | "webmaster-tools" = "analytics",
  secret: Secret = provider === "webmaster-tools"
    ? hidden({ kind: "webmaster-tools-key", key: WEBMASTER_KEY })
    : accountSecret(),
) {
  const by = { actor: "test", now: deps.clock.now() };
  const added = await addCredential(deps, { provider, secret, label: undefined }, by);
  if (!added.ok) throw new Error(`not stored: ${added.why}`);
  return added.credential;
}
