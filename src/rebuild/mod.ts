/**
 * Read models (flags, snoozes, readings, freshness) against the append-only tables they are made of: comparing, and making them
 * anew where they differ.
 */
export { compareModel } from "./compare.ts";
export { mendModel } from "./mend.ts";
export { type Difference, READ_MODELS, type ReadModel } from "./models.ts";
