/**
 * Which site a property is most likely of, by the host of its address or its name: for the screen on which they are attached. A suggestion,
 * nobody is attached by it.
 */

/** A property, as far as it says whose it is. */
interface NamedProperty {
  readonly property: string;
  readonly name: string;
}

/** A site, as far as it says which address it has. */
interface NamedSite {
  readonly id: string;
  readonly url: string | null;
}

/**
 * The most likely site of each property, by the property's id; a property without one is left out, also where two sites are equally
 * likely. In this order: the property's address is the site's; the property's name is; the property's name is the site's id.
 */
export function suggestAttachments(
  properties: readonly NamedProperty[],
  sites: readonly NamedSite[],
): ReadonlyMap<string, string> {
  const byHost = Map.groupBy(sites, ({ id, url }) => {
    const own = url === null ? undefined : hostKey(url);
    return own ?? (id.includes(".") ? hostKey(id) : undefined);
  });
  const byId = Map.groupBy(sites, ({ id }) => plain(id));
  const suggested = new Map<string, string>();
  for (const { property, name } of properties) {
    const address = isAddress(property) ? hostKey(property) : undefined;
    const named = hostInName(name);
    const site = only(byHost, address) ?? only(byHost, named) ?? only(byId, plain(name));
    if (site !== undefined) suggested.set(property, site);
  }
  return suggested;
}

function only(
  sites: ReadonlyMap<string | undefined, readonly NamedSite[]>,
  key: string | undefined,
): string | undefined {
  const [one, other] = (key === undefined || key === "" ? undefined : sites.get(key)) ?? [];
  return other === undefined ? one?.id : undefined;
}

const isAddress = (property: string) => /^(?:https?:\/\/|sc-domain:)/i.test(property);

/** The first host that a name holds: "Shop (www.shop.example)", "shop.example - GA4". */
function hostInName(name: string): string | undefined {
  const word = name
    .split(/[\s()[\]<>,;|]+/)
    .find((part) => /^(?:https?:\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:\/.*)?$/iu.test(part));
  return word === undefined ? undefined : hostKey(word);
}

/** A name as it is compared with an id: letters and digits alone, in lower case. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * What two addresses of one site have in common: the host in lower case and in its ASCII form (IDNA), without `www.`, a final dot,
 * user, port, path and scheme. A domain property (`sc-domain:example.com`) has the key of its domain. Undefined for what names no host.
 */
export function hostKey(address: string): string | undefined {
  const text = address.trim().replace(/^sc-domain:/i, "");
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || url.hostname === "") return undefined;
  const host = url.hostname.replace(/\.+$/, "");
  const bare = host.replace(/^www\./, "");
  // A name of one label alone is no `www.` of another.
  return bare.includes(".") || bare === host ? bare : host;
}
