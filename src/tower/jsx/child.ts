/** What may stand between tags. Booleans, null and undefined render as nothing. */

import type { Safe } from "./safe.ts";

export type Child = Safe | string | number | bigint | boolean | null | undefined | readonly Child[];
