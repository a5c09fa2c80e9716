/** What whoever gives or sends something is called, over what comes of them. */

import { capital } from "../../lib/capital.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";

const SENDERS: Readonly<Record<string, string>> = {
  ingest: "Reports in",
  annotations: "Annotations",
  calendars: "Calendars",
};

export function providerName(provider: string): string {
  return { ...SENDERS, ...PROVIDER_WORDS }[provider] ?? provider;
}

/** What a capability is called below the name of its provider: "Daily" of "Search console, daily". */
export function shortLabel(label: string): string {
  const [, ...rest] = label.split(", ");
  return capital(rest.length === 0 ? label : rest.join(", "));
}
