import { paths } from "../paths.ts";

/** The addresses of a site's settings and their acts. */
export const siteSettingsPaths = {
  page: paths.siteSettings,
  families: (asset: string): string => `${paths.siteSettings(asset)}/families`,
  withdrawFamily: (asset: string): string => `${paths.siteSettings(asset)}/families/withdrawal`,
  tokens: (asset: string): string => `${paths.siteSettings(asset)}/tokens`,
  revokeToken: (asset: string, id: string): string =>
    `${paths.siteSettings(asset)}/tokens/${encodeURIComponent(id)}/revocation`,
} as const;
