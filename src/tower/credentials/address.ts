import { PROVIDERS } from "../../provider/contract.ts";
import { address, oneOf, PAGE, type Param, sought } from "../kit/address.ts";
import { paths } from "../paths.ts";

const LONGEST_SOUGHT = 200;

/** What was just done to a credential, or kept what was asked for from being done. */
export const DONE = [
  "added",
  "changed",
  "same",
  "same-account",
  "other-account",
  "unknown-account",
  "renamed",
  "busy",
  "stopped",
  "held",
  "other-connection",
  "unmonitored",
] as const;

/** Which properties are shown beside those without a site. */
const SHOWN = ["attached", "unusable"] as const;

/** A count that an act left in the address: what it did is said on the page it leads to. */
const COUNT: Param<number | null> = {
  usual: null,
  read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
};

/** The list of credentials: how many attachments went with one that was just removed. */
export const credentialsAddress = address({ removed: COUNT });

/** A credential's page: what was just done to it, which of its properties are sought, and the page of them. */
export const credentialAddress = address({
  did: oneOf(DONE, null),
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
});

/** The screen of attachments: which properties, of which provider, what is sought in them, and what was just done. */
export const attachAddress = address({
  show: oneOf(SHOWN, null),
  provider: oneOf(PROVIDERS, null),
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
  attached: COUNT,
  replaced: COUNT,
  detached: COUNT,
});
export type AttachQuery = typeof attachAddress.usual;
export const attachHref = attachAddress.at(paths.attachments);
