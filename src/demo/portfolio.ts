/** The invented sites of the demo, each with a story that its reports, its providers and its timeline tell alike. */
import { QUIET_SITES } from "./quiet_sites.ts";
import type { DemoNote, DemoSite } from "./site.ts";
import { STRIKING_SITES } from "./striking_sites.ts";

export const PORTFOLIO: readonly DemoSite[] = [...STRIKING_SITES, ...QUIET_SITES];

/** What happened to every site. */
export const EVERYWHERE: readonly DemoNote[] = [
  {
    day: -13,
    at: "06:00",
    kind: "external",
    ref: "search ranking update",
    note: "Announced by the search engine; two weeks to roll out",
  },
  {
    day: -34,
    at: "10:00",
    kind: "model-change",
    ref: "reviewer 4 to 5",
    note: "The model that reviews changes",
  },
  {
    day: -71,
    at: "10:00",
    kind: "model-change",
    ref: "builder 7 to 8",
    note: "The model that writes changes",
  },
];
