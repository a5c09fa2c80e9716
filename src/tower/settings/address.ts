/** What a filter may hold: no identifier is longer. */

import { address, PAGE, sought } from "../kit/address.tsx";

const LONGEST_Q = 128;

/** The query of the tokens: which sites are sought, and the page of their tokens. */
export const tokensAddress = address({ q: sought(LONGEST_Q), page: PAGE });
