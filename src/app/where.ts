/** What a start prints: where each listener is reached, from here and from other computers, where the data is, and how it ends. */

import { addressesBoundTo, bracketed, isWildcard } from "../base/hosts.ts";

/** The most addresses printed for other computers: a machine may have dozens, and the first are the likely ones. */
const MOST = 3;

/** Where a listener is reached. */
export interface Reached {
  /** The published address, or this machine's own. */
  readonly first: string;
  /** Addresses for other computers, where none is published and the listener is bound to all of the machine's. */
  readonly elsewhere: readonly string[];
}

/** Where a listener is reached. What a container calls its addresses no other computer reaches. */
export function reachedAt(
  listening: { readonly host: string; readonly port: number; readonly url: string },
  {
    published,
    container,
  }: { readonly published: string | undefined; readonly container: string | undefined },
  addresses: (host: string) => readonly string[] = addressesBoundTo,
): Reached {
  const { host, port, url } = listening;
  if (published !== undefined) return { first: published, elsewhere: [] };
  if (!isWildcard(host) || container !== undefined) return { first: url, elsewhere: [] };
  const elsewhere = addresses(host).slice(0, MOST);
  return { first: url, elsewhere: elsewhere.map((address) => `http://${bracketed(address)}:${port}`) };
}

/** The lines of one listener; the first holds nothing but its address. */
export function whereLines(name: string, { first, elsewhere }: Reached): string {
  const others = elsewhere.map((url) => `        ${url}  (from other computers)\n`);
  return `${name.padEnd(8)}${first}\n${others.join("")}`;
}

/** The lines of a set-up link, which was made for the first address. */
export function setUpLines(link: string, { first, elsewhere }: Reached): string {
  const path = link.slice(first.length);
  const links = { first: link, elsewhere: elsewhere.map((url) => `${url}${path}`) };
  return `${whereLines("Set up", links)}        (works once, for 30 minutes)\n`;
}

/** The lines of the data folder. One that was named by mistake would be taken for lost data, so a new one is called so. */
export function dataLines(dataDir: string, isNew: boolean): string {
  return `${"Data".padEnd(8)}${dataDir}\n${isNew ? "        (new: there was no data in it)\n" : ""}`;
}

/** How a service is stopped that nobody else manages. */
export function stopLine({ pid, terminal }: { readonly pid: number; readonly terminal: boolean }): string {
  return `${"Stop".padEnd(8)}${terminal ? "Ctrl-C" : `kill ${pid}`}\n`;
}
