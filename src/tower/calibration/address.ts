import { address, PAGE, sought } from "../kit/address.ts";

/** What a filter may hold: no identifier is longer. */
const LONGEST_Q = 128;

/** Which measured spreads are shown. */
export const spreadsAddress = address({ q: sought(LONGEST_Q), page: PAGE });
