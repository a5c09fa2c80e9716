/** The pages of flags: the inbox, one opened flag, the tab of a site, and the acts of an operator. */
export { flagActs } from "./act_routes.tsx";
export { madeOf, type Outcome, outcomeText } from "./outcome.ts";
export { flagHref } from "./query.ts";
export { flagPages } from "./routes.tsx";
