import type { SeriesSource } from "../flags/mod.ts";

/** The source of what sites send. */
export const SOURCE: SeriesSource = "pulse";
