/** Names and addresses of hosts, as settings and `Host` headers write them, and which `Host` a listener answers to: the guard against DNS rebinding. */

import { isIP, isIPv4 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** Longest name of a host (RFC 1035), with room for a port. */
const LONGEST = 260;
const LABELS =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;
const PORT = /:(\d{1,5})$/;

/** Whether it is a host's name or address, without a port; an address of IPv6 may stand in brackets. */
export function isHost(text: string): boolean {
  if (text.length > LONGEST) return false;
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  if (isBracketed) return isIPv6(text.slice(1, -1));
  return isIPv6(text) || LABELS.test(text);
}

/** Whether it is a host as above, with a port or without; in front of a port an address of IPv6 stands in brackets. */
export function isHostAndPort(text: string): boolean {
  return hasPort(text)
    ? isHost(text.replace(PORT, "")) && Number(PORT.exec(text)?.[1]) <= 65_535
    : isHost(text);
}

/** Whether a name ends in a port. */
export function hasPort(name: string): boolean {
  return /^(?:\[[^\]]*\]|[^:]*):\d+$/.test(name);
}

/** An address of IPv6 stands in brackets where a port may follow. */
export function bracketed(name: string): string {
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}

/** The same without brackets, as the system takes it. */
export function unbracketed(name: string): string {
  return name.replace(/^\[|\]$/g, "");
}

/** Whether it stands for every address of the machine: one to bind to, never a name to ask for. */
export function isWildcard(host: string): boolean {
  return /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether it is an address and no name that somebody could point elsewhere. */
export function isAddress(host: string): boolean {
  return isIP(unbracketed(host)) !== 0;
}

/** Without a zone, which no address that is asked for has. */
function isIPv6(text: string): boolean {
  return isIP(text) === 6 && !text.includes("%");
}

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
    // Some proxies name the port that an address leaves out.
    const usual = url.protocol === "https:" ? "443" : "80";
    addAsItIs(`${url.hostname}:${url.port === "" ? usual : url.port}`);
  }
  for (const name of names.allowed) {
    if (hasPort(name)) addAsItIs(name);
    else add(name);
  }
  return hosts;
}

type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, "address" | "internal">[] | undefined>
>;

/** Networks that programs made inside the machine: no other computer is there. */
const INSIDE = /^(?:docker|br-|veth|virbr|podman|cni|lxc)/;
/** An address of one cable, which no browser can name without a zone. */
const LINK_LOCAL = /^fe[89ab][0-9a-f]:/i;

/** The machine's addresses, those first that another computer most likely reaches: of IPv4, and of no network inside. */
export function ownAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  const found = Object.entries(interfaces).flatMap(([name, entries = []]) =>
    entries
      .filter(({ address, internal }) => !internal && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ address, rank: (INSIDE.test(name) ? 2 : 0) + (isIPv4(address) ? 0 : 1) })),
  );
  return found.sort((one, other) => one.rank - other.rank).map(({ address }) => address);
}

/** Those of them that a listener answers on: all of IPv4 for `0.0.0.0`, all for `::`, none for any other address. */
export function addressesBoundTo(
  host: string,
  addresses: () => readonly string[] = ownAddresses,
): readonly string[] {
  if (host === "0.0.0.0") return addresses().filter(isIPv4);
  return host === "::" || host === "[::]" ? addresses() : [];
}

/**
 * A `Host` that could be a name of ours, and the setting that would make it one. It is made of the asked name and of the listener's port;
 * no name of ours is in it, since a page that was rebound to this machine can read it.
 */
export type UnknownHost = NonNullable<ReturnType<typeof unknownHost>>;

/** Reads a `Host` header; undefined for none, and for what no setting could make a name of ours. */
export function unknownHost(header: string | null, port: number) {
  const asked = header?.toLowerCase() ?? "";
  const name = hasPort(asked) ? asked.replace(/:\d+$/, "") : asked;
  if (!isHostAndPort(asked) || isWildcard(name) || name !== bracketed(name)) return undefined;
  return {
    /** The asked name, in lower case; it holds letters, digits and `.:-_[]` only. */
    asked,
    /** The line that adds it. */
    setting: `ALLOWED_HOSTS=${asked}`,
    /** The tunnel under which no setting is needed; null unless the name is one of loopback, as it is behind a tunnel. */
    tunnel: isLoopback(name) ? `ssh -L ${port}:127.0.0.1:${port}` : null,
  };
}

/** The same in one sentence or two, for programs. */
export function unknownHostDetail(unknown: UnknownHost | undefined): string {
  if (unknown === undefined) {
    return "Use one of the service's own or published names as the host; the setting ALLOWED_HOSTS adds names.";
  }
  const { asked, setting, tunnel } = unknown;
  return [
    `${asked} is not one of this service's names; the setting ${setting} makes it one.`,
    ...(tunnel === null
      ? []
      : [`A tunnel with the same port at both ends needs no setting: ${tunnel} <computer>.`]),
  ].join(" ");
}

/** Reads an address, which is a range of one, or a range in CIDR form (RFC 4632): those with the same first `prefix` bits. */
export function addressRange(text: string) {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return undefined;
  const longest = family === 6 ? 128 : 32;
  if (bits !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const prefix = bits === undefined ? longest : Number(bits);
  return prefix > longest
    ? undefined
    : ({ address, prefix, family: family === 6 ? "ipv6" : "ipv4" } as const);
}
