/** What a start prints: where each listener is reached, from here and from other computers, where the data is, and how it ends. */

import { lookup } from "node:dns/promises";
import { bothPorts, type Config } from "../base/config.ts";
import { addressesBoundTo, bracketed, isAddress, isWildcard, unbracketed } from "../base/hosts.ts";
import { codeOf } from "../base/text.ts";

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
  { published, container }: { published: string | undefined; container: string | undefined },
  addresses: (host: string) => readonly string[] = addressesBoundTo,
): Reached {
  const { host, port, url } = listening;
  if (published !== undefined) return { first: published, elsewhere: [] };
  if (!isWildcard(host) || container !== undefined) return { first: url, elsewhere: [] };
  const elsewhere = addresses(host).slice(0, MOST);
  return { first: url, elsewhere: elsewhere.map((address) => `http://${bracketed(address)}:${port}`) };
}

/** The lines of one listener; the first holds nothing but its address. */
export function addressLines(name: string, { first, elsewhere }: Reached): string {
  const others = elsewhere.map((url) => `        ${url}  (from other computers)\n`);
  return `${name.padEnd(8)}${first}\n${others.join("")}`;
}

/** The lines of a set-up link, which was made for the first address. */
export function setUpLines(link: string, { first, elsewhere }: Reached): string {
  const path = link.slice(first.length);
  const links = { first: link, elsewhere: elsewhere.map((url) => `${url}${path}`) };
  return `${addressLines("Set up", links)}        (works once, for 30 minutes)\n`;
}

/** The lines of the data folder. One that was named by mistake would be taken for lost data, so a new one is called so. */
export function dataLines(dataDir: string, isNew: boolean): string {
  return `${"Data".padEnd(8)}${dataDir}\n${isNew ? "        (new: there was no data in it)\n" : ""}`;
}

/** How a service is stopped that nobody else manages. */
export function stopLine({ pid, terminal }: { readonly pid: number; readonly terminal: boolean }): string {
  return `${"Stop".padEnd(8)}${terminal ? "Ctrl-C" : `kill ${pid}`}\n`;
}

/** Why an address cannot be listened on, in one line that names the setting. */

const LAST_PORT = 65_535;

/**
 * One line for an address that cannot be listened on; undefined for any other error. Whether a name means an address is asked first: for
 * one that does not, the runtime's error carries the number of whatever failed before it.
 */
export async function bindError(
  error: unknown,
  which: "INGEST" | "TOWER",
  config: Pick<Config, "ingest" | "tower">,
): Promise<string | undefined> {
  const { host, port } = which === "INGEST" ? config.ingest : config.tower;
  const otherHost = `for example ${which}_HOST=127.0.0.1`;
  if (!(await isKnown(host))) {
    return `${which}_HOST ${host} is a name that this computer finds no address for, ${otherHost}`;
  }
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    // Two addresses, of which one takes in the other.
    if (which === "TOWER" && port === config.ingest.port) return bothPorts(port);
    const free = port + 100 > LAST_PORT ? port - 100 : port + 100;
    return `${which}_PORT ${port} is taken on ${host} by another program, perhaps by a Tower that runs already: stop that one, or set another port, for example ${which}_PORT=${free}`;
  }
  if (code === "EACCES")
    return `${which}_PORT ${port} may not be used by this user, for example ${which}_PORT=4611`;
  const isElsewhere = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL";
  return isElsewhere || !isAddress(host)
    ? `${which}_HOST ${host} is not an address of this computer, ${otherHost}`
    : undefined;
}

async function isKnown(host: string): Promise<boolean> {
  if (isAddress(host)) return true;
  try {
    await lookup(unbracketed(host));
    return true;
  } catch {
    return false;
  }
}
