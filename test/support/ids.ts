/** Ids that are the same in every run: uuids count up, bytes come from a seeded generator. */

import type { Ids } from "../../src/base/base.ts";

export function seededIds(seed = 1): Ids {
  let count = 0;
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
  return {
    uuid: () => `00000000-0000-7000-8000-${String(++count).padStart(12, "0")}`,
    bytes: (length) => Uint8Array.from({ length }, next),
  };
}
