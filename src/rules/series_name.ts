/** How a provider's figures are told apart from what a site sends under the same name: the provider behind the metric. */

/** The source of what a site sends itself. */
export const SENT = "pulse";

/** Sources of series that are not the site itself, in words that follow a metric in brackets. */
const SOURCE_WORDS: Readonly<Record<string, string>> = {
  analytics: "analytics",
  "search-console": "search console",
  "webmaster-tools": "webmaster tools",
};

/** `search console`; undefined of what a site sends, and of no series. */
export function sourceName(source: string | null): string | undefined {
  return source !== null && Object.hasOwn(SOURCE_WORDS, source) ? SOURCE_WORDS[source] : undefined;
}

/** `clicks (search console)`; of what a site sends the name alone. */
export function seriesName(metric: string, source: string | null): string {
  const words = sourceName(source);
  return words === undefined ? metric : `${metric} (${words})`;
}
