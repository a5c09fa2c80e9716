/** What the pages say of providers. */

import type { AccountProvider } from "../../providers/adapter.ts";

export { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";

/** What a site gets of each, once a property of it is attached. */
export const PROVIDER_GIVES: Readonly<Record<AccountProvider, string>> = {
  analytics: "visitors, sessions, page views and events of 97 days, every 15 minutes, and who is there now",
  "search-console": "clicks, impressions, click rate and position of 97 days, every 15 minutes",
  "webmaster-tools": "clicks and impressions of 97 days, each night at 02:30 UTC",
  serp: "its position for the keywords of its panels, as often as each panel says",
};
