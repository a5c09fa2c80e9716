/** Taking a mistaken site out of the portfolio: what every feature keeps of it decides whether it may go. */
export { barWords, removeSite, siteBar } from "./remove_site.ts";
