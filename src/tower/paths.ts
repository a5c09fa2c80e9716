/** Every address the pages link to or post to, in one place, so that a route and its links cannot drift apart. */

const site = (asset: string): string => `/sites/${encodeURIComponent(asset)}`;

export const paths = {
  portfolio: "/",
  sites: "/sites",
  newSite: "/sites/new",
  site,
  siteTimeline: (asset: string): string => `${site(asset)}/timeline`,
  codebase: (asset: string): string => `${site(asset)}/codebase`,
  siteFlags: (asset: string): string => `${site(asset)}/flags`,
  reports: (asset: string): string => `${site(asset)}/reports`,
  nightlyReport: (asset: string, date: string, revision: number): string =>
    `${site(asset)}/reports/${date}/${revision}`,
  codebaseReport: (asset: string, date: string, revision: number): string =>
    `${site(asset)}/reports/codebase/${date}/${revision}`,
  firstReport: (asset: string): string => `${site(asset)}/first-report`,
  siteSettings: (asset: string): string => `${site(asset)}/settings`,
  tuneMetric: (asset: string, metric: string): string =>
    `${site(asset)}/metrics/${encodeURIComponent(metric)}/tune`,
  tuneCodebase: (asset: string): string => `${site(asset)}/codebase/tune`,
  siteTokens: (asset: string): string => `/settings/tokens?q=${encodeURIComponent(asset)}`,
  flags: "/flags",
  tuneFlag: (id: string): string => `/flags/${encodeURIComponent(id)}/tune`,
  timeline: "/timeline",
  settings: "/settings",
  constants: "/settings/constants",
  constantsVersions: "/settings/constants/versions",
  constantsVersion: (version: number): string => `/settings/constants/versions/${version}`,
  calibration: "/settings/calibration",
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
