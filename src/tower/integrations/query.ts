/** What the page of integrations is narrowed to, as its address says it: every view is a link. */
import { HEALTH_STATES } from "../../health/contract.ts";
import { STATE_WORDS } from "../component/state.tsx";
import { address, named, oneOf, PAGE, sought } from "../kit/address.ts";
import { paths } from "../paths.ts";

/** Longest name that is sought, and longest id of a capability, in characters. */
const LONGEST_SOUGHT = 128;
const LONGEST_ID = 64;

/** Every site of the matrix, or those with anything that is not Working; by default whichever suits how many there are. */
const MATRIX_SITES = ["all", "not_working"] as const;

export const integrationsAddress = address({
  state: oneOf(HEALTH_STATES, null, (state) => STATE_WORDS[state]),
  capability: named<string | null>(LONGEST_ID, null),
  sites: oneOf(MATRIX_SITES, null),
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
});
export type IntegrationsQuery = typeof integrationsAddress.usual;
export const integrationsHref = integrationsAddress.at(paths.integrations);
