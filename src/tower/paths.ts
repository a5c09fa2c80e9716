/** Every address the pages link to or post to, in one place, so that a route and its links cannot drift apart. */

const site = (asset: string): string => `/sites/${encodeURIComponent(asset)}`;

export const paths = {
  portfolio: "/",
  sites: "/sites",
  newSite: "/sites/new",
  site,
  codebase: (asset: string): string => `${site(asset)}/codebase`,
  firstReport: (asset: string): string => `${site(asset)}/first-report`,
  siteTokens: (asset: string): string => `/settings/tokens?q=${encodeURIComponent(asset)}`,
  flags: "/flags",
  timeline: "/timeline",
  settings: "/settings",
  tokens: "/settings/tokens",
  issueSiteToken: "/settings/tokens/site",
  issueOperatorToken: "/settings/tokens/operator",
  revokeToken: (kind: "site" | "operator", id: string): string =>
    `/settings/tokens/${kind}/${encodeURIComponent(id)}/revocation`,
  signIn: "/sign-in",
  signOut: "/sign-out",
  setup: "/setup",
  theme: "/theme",
} as const;
