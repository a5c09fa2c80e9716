import type { SeriesSource } from "../flags/mod.ts";
import { SENT } from "../rules/mod.ts";

/** The source of what sites send. */
export const SOURCE: SeriesSource = SENT;
