/** The pages of flags: the inbox, one opened flag, the tab of a site, and the acts of an operator. */
export { type FlagActDeps, flagActs } from "./act_routes.tsx";
export type { FlagPagesDeps } from "./answer.tsx";
export { flagHref } from "./query.ts";
export { flagPages } from "./routes.tsx";
export { type AnnotationsNear, type NearAnnotation, readWhyEmpty, type WhyEmpty } from "./view.ts";
