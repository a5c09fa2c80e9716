import { address, PAGE, sought } from "../kit/address.ts";

/** What a filter may hold: no name is longer. */
const LONGEST_NAME = 200;

/** The query of a site's settings: which of its metrics are sought, and the page of them. */
export const settingsAddress = address({ metric: sought(LONGEST_NAME), page: PAGE });
