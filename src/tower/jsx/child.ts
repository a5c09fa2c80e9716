import type { Safe } from "./safe.ts";

/** What may stand between tags. Booleans, null and undefined render as nothing. */
export type Child = Safe | string | number | bigint | boolean | null | undefined | readonly Child[];
