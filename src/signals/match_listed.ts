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
  return listedAddresses(listed)(site);
}

/** The same for many sites: the addresses are looked through once. */
export function listedAddresses(listed: readonly string[]): (site: AddressedSite) => string | undefined {
  const byHost = Map.groupBy(listed, hostKeyOf);
  return (site) => {
    const own = site.url ?? (site.id.includes(".") ? site.id : undefined);
    const key = own === undefined ? undefined : hostKeyOf(own);
    const alike = own === undefined || key === undefined ? undefined : byHost.get(key);
    if (own === undefined || alike === undefined || alike.length < 2) return alike?.[0];
    const [best] = alike
      .map((address) => ({ address, likeness: likeness(own, address) }))
      .sort((a, b) => b.likeness - a.likeness || (a.address < b.address ? -1 : 1));
    return best?.address;
  };
}

/** Host keys that were worked out: the same few thousand addresses are held against one another again and again. */
const hostKeys = new Map<string, string | undefined>();
const MOST_KEPT = 16_384;

function hostKeyOf(address: string): string | undefined {
  if (hostKeys.has(address)) return hostKeys.get(address);
  const key = hostKey(address);
  if (hostKeys.size >= MOST_KEPT) hostKeys.clear();
  hostKeys.set(address, key);
  return key;
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
