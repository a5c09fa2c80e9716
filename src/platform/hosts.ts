/** Which `Host` names a listener answers to: the guard against DNS rebinding. */

/** The names a listener has. */
export interface HostNames {
  /** Address the listener is bound to. */
  readonly bound: string;
  /** Port the listener is bound to. */
  readonly port: number;
  /** Published address, if any, for example `https://tower.example`. */
  readonly published: string | undefined;
  /** Further names, with or without a port. */
  readonly allowed: readonly string[];
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
/** Addresses to bind to, never names to ask for. */
const WILDCARD = /^(?:0\.0\.0\.0|\[::\])(?::\d+)?$/;

/** Every acceptable `Host` value, in lower case. */
export function acceptableHosts(names: HostNames): ReadonlySet<string> {
  const hosts = new Set<string>();
  const addAsItIs = (host: string) => {
    if (!WILDCARD.test(host)) hosts.add(host.toLowerCase());
  };
  const add = (name: string) => {
    const host = bracketed(name);
    addAsItIs(host);
    addAsItIs(`${host}:${names.port}`);
  };
  for (const name of LOOPBACK) add(name);
  add(names.bound);
  if (names.published !== undefined) {
    const url = new URL(names.published);
    add(url.hostname);
    addAsItIs(url.host);
  }
  for (const name of names.allowed) {
    if (/^(?:\[[^\]]*\]|[^:]*):\d+$/.test(name)) addAsItIs(name);
    else add(name);
  }
  return hosts;
}

/** An IPv6 address stands in brackets in a Host header. */
function bracketed(name: string): string {
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}
