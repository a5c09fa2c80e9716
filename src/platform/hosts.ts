/** Which `Host` names a listener answers to: the guard against DNS rebinding. */
import { bracketed, hasPort, isAddress, isWildcard } from "./host_name.ts";

/** The names a listener has. */
export interface HostNames {
  /** Address the listener is bound to. */
  readonly bound: string;
  /**
   * The machine's own addresses, where the listener is bound to all of them; asked again for one that is not known, since a machine
   * gets addresses while it runs.
   */
  readonly addresses: () => readonly string[];
  /** Port the listener is bound to. */
  readonly port: number;
  /** Published address, if any, for example `https://tower.example`. */
  readonly published: string | undefined;
  /** Further names, with or without a port. */
  readonly allowed: readonly string[];
}

/** The names of this machine on itself. */
export const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"] as const;

/** What says whether a `Host`, in lower case, is one of a listener's. */
export interface Hosts {
  /** The listener's own port. */
  readonly port: number;
  has(host: string): boolean;
}

/**
 * The hosts of a listener. Bound to a wildcard it answers to each address of the machine. That opens nothing to rebinding: the trick is
 * a name that its owner points to this machine, and the browser sends that name; an address in `Host` was in the address bar.
 */
export function hostsOf(names: HostNames): Hosts {
  let known = acceptableHosts(names);
  return {
    port: names.port,
    has: (host) => {
      if (known.has(host)) return true;
      if (!isWildcard(names.bound) || !isAddress(host.replace(`:${names.port}`, ""))) return false;
      known = acceptableHosts(names);
      return known.has(host);
    },
  };
}

/** Every acceptable `Host` value now, in lower case. */
export function acceptableHosts(names: HostNames): ReadonlySet<string> {
  const hosts = new Set<string>();
  const addAsItIs = (host: string) => {
    if (!isWildcard(host.replace(/:\d+$/, ""))) hosts.add(host.toLowerCase());
  };
  const add = (name: string) => {
    const host = bracketed(name);
    addAsItIs(host);
    addAsItIs(`${host}:${names.port}`);
  };
  for (const name of [...LOOPBACK_NAMES, names.bound, ...names.addresses()]) add(name);
  if (names.published !== undefined) {
    const url = new URL(names.published);
    add(url.hostname);
    addAsItIs(url.host);
  }
  for (const name of names.allowed) {
    if (hasPort(name)) addAsItIs(name);
    else add(name);
  }
  return hosts;
}
