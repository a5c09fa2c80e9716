/** How a provider's figures are told apart from what a site sends under the same name: the provider behind the metric. */

import { isProvider, PROVIDER_NAMES } from "../providers/adapter.ts";

/** The source of what a site sends itself. */
export const SENT = "pulse";

/** `search console`; undefined of what a site sends, and of no series. */
export function sourceName(source: string | null): string | undefined {
  return isProvider(source) ? PROVIDER_NAMES[source].toLowerCase() : undefined;
}

/** `clicks (search console)`; of what a site sends the name alone. */
export function seriesName(metric: string, source: string | null): string {
  const words = sourceName(source);
  return words === undefined ? metric : `${metric} (${words})`;
}
