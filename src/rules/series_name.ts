/** How a provider's figures are told apart from what a site sends under the same name: the provider behind the metric. */

/** The source of what a site sends itself. */
export const SENT = "pulse";

/** Sources of series that are not the site itself, in words that follow a metric in brackets. */
export const SOURCE_WORDS = {
  analytics: "analytics",
  "search-console": "search console",
  "webmaster-tools": "webmaster tools",
} as const;

const isNamed = (source: string): source is keyof typeof SOURCE_WORDS => Object.hasOwn(SOURCE_WORDS, source);

/** `search console`; undefined of what a site sends, and of no series. */
export function sourceName(source: string | null): string | undefined {
  return source !== null && isNamed(source) ? SOURCE_WORDS[source] : undefined;
}

/** `clicks (search console)`; of what a site sends the name alone. */
export function seriesName(metric: string, source: string | null): string {
  const words = sourceName(source);
  return words === undefined ? metric : `${metric} (${words})`;
}
