/** What sites of the demo have in common: the shape of their weeks (what a weekday has of the average, from Sunday on) and their providers. */
export const SHOP_WEEK = [1.1, 0.92, 0.9, 0.94, 1, 1.08, 1.16];
export const WORK_WEEK = [0.55, 1.18, 1.24, 1.2, 1.14, 1.02, 0.67];
export const LEISURE_WEEK = [1.32, 0.84, 0.82, 0.86, 0.92, 1.06, 1.28];

/** What is asked of things that are sold, of places, and of what is read. */
export const SHOP_ASKS = "online, price, delivery, gift, reviews, near me, sale, ideas, best";
export const PLACE_ASKS =
  "prices, booking, opening times, map, parking, with children, in winter, reviews, offers";
export const READ_ASKS = "guide, examples, for beginners, history, list, pictures, explained, online, books";

/** Each subject as it is, then with all that is asked of it. */
export const phrases = (subjects: string, asks: string): readonly string[] =>
  ["", ...asks.split(", ")].flatMap((ask) =>
    subjects.split(", ").map((subject) => `${subject} ${ask}`.trim()),
  );

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
