/** What the commands on credentials say alike. */
import type { CredentialKind } from "../credentials/contract.ts";
import type { Deps } from "../deps.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { keyPath } from "../platform/keys.ts";

export const KIND_WORDS: Readonly<Record<CredentialKind, string>> = {
  "google-service-account": "a Google service account",
  "webmaster-tools-key": "a key of webmaster tools",
};

/** The refusal of an id that no credential has. */
export function noCredential({ credentials }: Pick<Deps, "credentials">, id: string): string {
  const ids = credentials.list().map((known) => known.id);
  return `there is no credential ${shown(id)}${didYouMean(nearest(id, ids))}: tower credential list shows them`;
}

/** Why nothing can be sealed; undefined where it can. */
export function keyFault({ keys, config }: Pick<Deps, "keys" | "config">): string | undefined {
  return keys.isStandIn
    ? `The key that credentials are sealed with is lost (${keyPath(config.dataDir)}): nothing can be stored. Put it back, or set CREDENTIALS_KEY, and start anew; where it is lost for good, remove every credential first (tower credential remove)`
    : undefined;
}
