/** What sites of the demo have in common: the shape of their weeks (what a weekday has of the average, from Sunday on) and their providers. */
export const SHOP_WEEK = [1.1, 0.92, 0.9, 0.94, 1, 1.08, 1.16];
export const WORK_WEEK = [0.55, 1.18, 1.24, 1.2, 1.14, 1.02, 0.67];
export const LEISURE_WEEK = [1.32, 0.84, 0.82, 0.86, 0.92, 1.06, 1.28];

/** The first night that was reported of. */
export const FIRST_NIGHT = -400;

/** The providers of a site whose properties are named as usual. */
export function everywhere(id: string, property: string, timeZone: string) {
  return {
    analytics: { property, timeZone, account: "412" },
    searchConsole: { property: `sc-domain:${id}` },
    // Nothing is wrong with its pages; who has another story says so.
    webmasterTools: { property: `https://${id}/`, crawlIssues: [] },
  };
}
