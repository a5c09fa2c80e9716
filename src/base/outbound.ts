/**
 * The way out to addresses that an operator typed (reliability 4.6): a host is resolved once, every address of it must be public, and the
 * connection goes to the very address that was checked, so that DNS cannot change in between. Hosts of OUTBOUND_ALLOWED_HOSTS may be private.
 */

import { isIP } from "node:net";
import { setTimeout } from "node:timers/promises";
import ipaddr from "ipaddr.js";
import { bracketed, isAddress, isHost, unbracketed } from "./hosts.ts";
import { type HttpRequest, type HttpResult, httpRequest } from "./http_client.ts";

/** What decides whether a host may be reached. */
export interface OutboundRules {
  /** Hosts, with a port or without, as OUTBOUND_ALLOWED_HOSTS names them. */
  readonly allowedHosts: readonly string[];
  /** Every address of a host, best first. Throws where there is none. */
  readonly resolve: (
    host: string,
    options: { readonly all: true },
  ) => Promise<readonly { readonly address: string }[]>;
  /** A certificate authority in PEM that is trusted instead of the system's. */
  readonly ca?: string;
}

/** A request to an address that an operator typed: 10 seconds and 64 KiB unless said otherwise. */
type OutboundRequest = Omit<HttpRequest, "timeoutMs" | "maxBytes" | "connect"> &
  Partial<Pick<HttpRequest, "timeoutMs" | "maxBytes">>;

/** From the resolving to the last byte, in milliseconds. */
export const OUTBOUND_TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;
/** A host with more addresses is tried at its first ones. */
const MAX_ADDRESSES = 4;

/** Answers within a cloud's own network, though its address is a public one (Azure's WireServer). */
const METADATA = new Set(["168.63.129.16"]);

/** The one block of IPv6 that global addresses are given out of: all the rest is special, or an IPv4 address in disguise. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** What is wrong with an address itself, before anything is resolved; undefined where nothing is. */
export function addressFault(
  text: string,
  rules: Pick<OutboundRules, "allowedHosts">,
  example = "https://hooks.example/tower",
): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return `must be an https address, for example ${example}`;
  if (url.username + url.password !== "") return "must not hold a user or a password";
  if (isAllowed(url.hostname, portOf(url), rules)) return undefined;
  if (isAddress(url.hostname) && !isPublic(unbracketed(url.hostname)))
    return "must be a public address, unless OUTBOUND_ALLOWED_HOSTS names it";
  if (url.protocol === "http:") return "must be https, unless OUTBOUND_ALLOWED_HOSTS names its host";
  if (url.port !== "") return "must use port 443, unless OUTBOUND_ALLOWED_HOSTS names its host";
  return undefined;
}

const portOf = ({ port, protocol }: URL) => Number(port || (protocol === "http:" ? 80 : 443));

/** Sends one request, once, to an address that was checked. Never throws. */
export async function outboundRequest(request: OutboundRequest, rules: OutboundRules): Promise<HttpResult> {
  const { url, timeoutMs = OUTBOUND_TIMEOUT_MS, maxBytes = MAX_BYTES } = request;
  const fault = addressFault(url, rules);
  if (fault !== undefined)
    return { ok: false, failure: "address", message: `the address ${fault}`, requests: 0 };
  const until = performance.now() + timeoutMs;
  const checked = await checkedAddress(new URL(url).hostname, rules, portOf(new URL(url)), timeoutMs);
  if (!checked.ok)
    return { ...checked, message: "the host may not be reached, or has no address", requests: 0 };
  for (const [index, address] of checked.addresses.entries()) {
    const result = await httpRequest({
      ...request,
      timeoutMs: Math.max(1, Math.round(until - performance.now())),
      maxBytes,
      repeatable: false,
      connect: { address: bracketed(address), name: checked.name, ca: rules.ca },
    });
    // The host's next address may be the one that this machine reaches.
    const isUnreached = !result.ok && (result.failure === "refused" || result.failure === "connection");
    if (!isUnreached || index === checked.addresses.length - 1) return result;
  }
  throw new RangeError("a checked host has an address");
}

/** Resolves a host and checks every address of it, within a time; `name` is what certificates are checked against, none of an address. */
export async function checkedAddress(
  host: string,
  rules: OutboundRules,
  port: number,
  timeoutMs = OUTBOUND_TIMEOUT_MS,
) {
  const refused = (failure: "address" | "dns" | "timeout") => ({ ok: false, failure }) as const;
  // As an address on the web spells it: 0x7f.1 is 127.0.0.1.
  const hostname = URL.parse(`http://${bracketed(host)}`)?.hostname ?? "";
  const name = unbracketed(hostname).replace(/\.$/, "");
  if (!isHost(name)) return refused("address");
  const late = setTimeout(timeoutMs, undefined, { ref: false });
  const asked = isAddress(name) ? [{ address: name }] : rules.resolve(name, { all: true }).catch(() => []);
  const addresses = (await Promise.race([asked, late]))?.map(({ address }) => address);
  if (addresses === undefined) return refused("timeout");
  if (addresses.length === 0) return refused("dns");
  if (!isAllowed(hostname, port, rules) && !addresses.every(isPublic)) return refused("address");
  return {
    ok: true,
    name: isAddress(name) ? undefined : name,
    addresses: addresses.slice(0, MAX_ADDRESSES),
  } as const;
}

/** Whether an address is a global unicast one, also after an IPv4 address is taken out of an IPv6 one. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  const isAssigned = plain instanceof ipaddr.IPv4 || plain.match(GLOBAL_IPV6);
  return isAssigned && plain.range() === "unicast" && !METADATA.has(plain.toString());
}

function isAllowed(hostname: string, port: number, { allowedHosts }: Pick<OutboundRules, "allowedHosts">) {
  const spell = (host: string) => host.toLowerCase().replace(/\.$/, "");
  const own = spell(hostname);
  return allowedHosts.some((item) => {
    const named = spell(isHost(item) ? (URL.parse(`http://${bracketed(item)}`)?.hostname ?? item) : item);
    return named === own || named === `${own}:${port}`;
  });
}

/**
 * What counts as one place on the network: an IPv4 address, also one written as IPv6, or the first 64 bits of an IPv6 address,
 * which is what one customer is given (RFC 6177). A text that is no address stays itself.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const plain = ipaddr.process(address.replace(/%.*$/, ""));
  if (plain instanceof ipaddr.IPv4) return plain.toString();
  return `${plain.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
