import type { SeriesSource } from "../flags/mod.ts";

/** Where the judged series come from: only what sites send is judged yet. */
export const SOURCE: SeriesSource = "pulse";
