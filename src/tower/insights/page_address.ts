/** Addresses of pages as the panels write them. Pure. */

/** The host of a web address in lower case; undefined for what is none. */
export function hostOf(address: string): string | undefined {
  const match = /^https?:\/\/([^/?#\s]+)/i.exec(address);
  return match?.[1]?.toLowerCase();
}

/** A property of search console that is a whole domain. */
const DOMAIN = /^sc-domain:(.+)$/i;

/** The hosts that are a site's own: of its address, and of the properties that its figures come from. */
export function ownHosts(addresses: readonly (string | null | undefined)[]): string[] {
  const hosts = addresses.map(
    (address) => hostOf(address ?? "") ?? DOMAIN.exec(address ?? "")?.[1]?.toLowerCase(),
  );
  return [...new Set(hosts.filter((host) => host !== undefined))];
}

/** A path where the address is on one of the site's own hosts; elsewhere the host stands before it. What is no web address stays. */
export function shownAddress(address: string, hosts: readonly string[]): string {
  const host = hostOf(address);
  if (host === undefined) return address;
  const rest = address.slice(address.indexOf("//") + 2);
  if (!hosts.includes(host)) return rest;
  const path = rest.slice(host.length);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Share of what is left of a cut text that stands before the cut: names differ least in their middle. */
const HEAD_SHARE = 0.6;

/** A long text in three: what is seen before the cut, what is cut out, what is seen after it. */
export function cutInMiddle(
  text: string,
  longest: number,
): { readonly head: string; readonly middle: string; readonly tail: string } {
  const points = [...text];
  if (points.length <= longest) return { head: text, middle: "", tail: "" };
  const head = Math.ceil(longest * HEAD_SHARE);
  const tail = longest - head - 1;
  return {
    head: points.slice(0, head).join(""),
    middle: points.slice(head, points.length - tail).join(""),
    tail: points.slice(points.length - tail).join(""),
  };
}
