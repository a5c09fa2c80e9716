/** Which of the addresses that webmaster tools list is a site's own. Pure. */
import { hostKey } from "../credentials/mod.ts";

/** A site, as far as it says which address it has. */
export interface AddressedSite {
  readonly id: string;
  readonly url: string | null;
}

/**
 * The listed address of a site: of those with its host the one most like its own, then one with https, then the first by text. Undefined
 * where none has its host, or the site names none. A site without an address has its id for one where that names a host.
 */
export function listedAddress(site: AddressedSite, listed: readonly string[]): string | undefined {
  const own = site.url ?? (site.id.includes(".") ? site.id : undefined);
  const key = own === undefined ? undefined : hostKey(own);
  if (own === undefined || key === undefined) return undefined;
  const [best] = listed
    .filter((address) => hostKey(address) === key)
    .map((address) => ({ address, likeness: likeness(own, address) }))
    .sort((a, b) => b.likeness - a.likeness || (a.address < b.address ? -1 : 1));
  return best?.address;
}

/** How much alike two addresses with one host are. */
function likeness(own: string, address: string): number {
  const [one, other] = [urlOf(own), urlOf(address)];
  if (one === null || other === null) return 0;
  const isSamePath = pathOf(one) === pathOf(other);
  const isWhole = pathOf(other) === "";
  return (
    8 * Number(isSamePath) +
    4 * Number(isWhole) +
    2 * Number(one.host === other.host && one.protocol === other.protocol) +
    Number(other.protocol === "https:")
  );
}

const urlOf = (address: string) => URL.parse(address.includes("://") ? address : `https://${address}`);
const pathOf = ({ pathname }: URL) => pathname.replace(/\/+$/, "");
