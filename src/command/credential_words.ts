/** What the commands on credentials say alike. */
import type { AccountAnswer, ProviderAnswer } from "../connections/contract.ts";
import type { CredentialKind } from "../credentials/contract.ts";
import { trapsBehind } from "../credentials/mod.ts";
import type { Deps } from "../deps.ts";
import { shown } from "../lib/command_line.ts";
import { formatInstant } from "../lib/instant.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { countWords } from "../lib/plural.ts";
import { MONITORING_UNAVAILABLE } from "../monitoring/mod.ts";
import { keyPath } from "../platform/keys.ts";
import { FAULT_CODES } from "../provider/fault_codes.ts";
import { type Outcome, refused } from "./contract.ts";

export const KIND_WORDS: Readonly<Record<CredentialKind, string>> = {
  "google-service-account": "a Google service account",
  "webmaster-tools-key": "a key of webmaster tools",
  "serp-login": "an account of DataForSEO",
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

/** A credential that was not asked: there is none, or another run of the same kind is under way, or this one was stopped. */
export function notAsked(
  deps: Pick<Deps, "credentials">,
  id: string,
  { why }: Extract<AccountAnswer, { ok: false }>,
): Outcome {
  if (why === "missing") return refused(noCredential(deps, id));
  if (why === "stopped") return refused("It was stopped before every provider had answered.");
  const stderr = "Another account is asked just now: try again when that is done.";
  return { exitCode: 3, stdout: "", stderr };
}

/** What a provider's answer came to, in sentences with what to do; of one that answered well, how much is to be seen. */
export function answerWords(answer: ProviderAnswer): string[] {
  const { provider, isMonitored } = answer;
  return isMonitored ? seenWords(answer) : [...seenWords(answer), `${provider}: ${MONITORING_UNAVAILABLE}`];
}

function seenWords({ provider, fault, nextRetryAt, properties = [] }: ProviderAnswer): string[] {
  const usable = properties.filter((property) => property.usable).length;
  const seen =
    provider === "serp" && fault === undefined
      ? "serp: the account is let in"
      : `${provider}: ${usable} of ${countWords(properties.length, "property", "properties")} can be used`;
  if (fault === undefined) return [`${seen}.`];
  const { words, action } = FAULT_CODES[fault.code];
  const again = nextRetryAt === undefined ? "" : ` Not before ${formatInstant(nextRetryAt)}.`;
  return [
    `${provider}: ${words} ${action}${again}`,
    ...trapsBehind(fault.code, provider).map((trap) => `  ${trap.says} ${trap.action}`),
  ];
}
