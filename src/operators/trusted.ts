/** Signing in through a reverse proxy that names the operator in a header: believed from loopback and listed proxies only. */
import { BlockList, isIP } from "node:net";
import { addressRange } from "../platform/addresses.ts";
import { personOf, publicOf, recordOperator } from "./add.ts";
import { type Operator, operatorNameOf } from "./contract.ts";
import type { OperatorDeps } from "./needs.ts";
import { findOperator } from "./store.ts";

/** Loopback: whoever sends from there is on this machine. */
const LOOPBACK = ["127.0.0.0/8", "::1"];

/** Peers whose word on the operator's name is taken: loopback and the listed proxies. */
export function namingPeers(proxies: readonly string[]): (address: string) => boolean {
  return among([...LOOPBACK, ...proxies]);
}

/**
 * Peers whose word on where a request came from is taken: the listed proxies alone, none while none is listed. Any program on
 * this machine can send a forwarding header from loopback, and the address it invents would stand in the audit.
 */
export function forwardingPeers(proxies: readonly string[]): (address: string) => boolean {
  return among(proxies);
}

/** Whether an address lies in one of the ranges, in any spelling. */
function among(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of ranges) {
    const range = addressRange(text);
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** The operator's name that a believed proxy gives, or undefined. Two headers arrive joined by a comma and are no name. */
export function trustedName(
  headers: Headers,
  peer: string,
  trusted: { readonly header: string | undefined; readonly isTrusted: (address: string) => boolean },
): string | undefined {
  if (trusted.header === undefined || !trusted.isTrusted(peer)) return undefined;
  const value = headers.get(trusted.header);
  return value === null ? undefined : operatorNameOf(value);
}

/** The address a request comes from: what a believed proxy says of it, else the peer's own. */
export function clientAddress(
  headers: Headers,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  const outside = hops.findLast((hop) => isIP(hop) !== 0 && !isTrusted(hop));
  return outside ?? peer;
}

/**
 * The person of a name the proxy gave. Whoever runs the proxy has decided who may come in, so an unknown name is added on
 * first sight, without a password. A service operator's name opens nothing.
 */
export async function admitTrusted(
  deps: Pick<OperatorDeps, "store" | "writer" | "clock" | "ids">,
  name: string,
): Promise<Operator | undefined> {
  const known = findOperator(deps.store.db, name);
  if (known !== undefined) return known.kind === "person" ? publicOf(known) : undefined;
  const person = personOf(deps, name, null);
  const now = deps.clock.now();
  return deps.writer.write((tx): Operator | undefined => {
    const meanwhile = findOperator(tx, name);
    if (meanwhile !== undefined) return meanwhile.kind === "person" ? publicOf(meanwhile) : undefined;
    recordOperator(tx, person, { actor: "trusted-header", now });
    return publicOf(person);
  });
}
