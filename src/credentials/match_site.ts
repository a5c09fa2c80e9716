/** Which site an address is of: by its host, however it is written. */

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
