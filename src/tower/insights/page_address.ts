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

/**
 * A path where the address is on one of the site's own hosts; elsewhere the host stands before it. What is no web address stays as it
 * is. Names in it are read as they are spoken, "/café" for "/caf%C3%A9", and signs that are not seen as they are encoded.
 */
export function shownAddress(address: string, hosts: readonly string[]): string {
  const host = hostOf(address);
  if (host === undefined) return readable(address);
  const rest = address.slice(address.indexOf("//") + 2);
  const path = readable(rest.slice(host.length));
  if (!hosts.includes(host)) return plainAddress(rest.slice(0, host.length)) + path;
  return path.startsWith("/") ? path : `/${path}`;
}

/** Signs that are not seen, or turn what stands beside them round. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** An address in which such signs are encoded, as a web address writes them: nothing of it is hidden or turned round. */
export function plainAddress(address: string): string {
  return address.replace(UNSEEN, encodeURIComponent);
}

/** Encoded characters beyond ASCII, next to one another. What ASCII encodes ("%2F", "%20") says something other than the character does. */
const ENCODED = /(?:%[89a-f][\da-f])+/gi;
/** What may be read: letters with their marks, digits and pictures. None of them looks like a part of an address. */
const READABLE = /^(?!\p{M})[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}]+$/u;

function readable(address: string): string {
  return plainAddress(address).replace(ENCODED, (encoded) => {
    const text = decoded(encoded);
    return text !== undefined && READABLE.test(text) ? text : encoded;
  });
}

/** Undefined for what is no whole UTF-8. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
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
