/** Signing in through a reverse proxy that names the operator in a header: believed from loopback and listed proxies only. */

import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { addressRange } from "../base/hosts.ts";
import type { OperatorDeps } from "./access.ts";
import {
  findOperator,
  type Operator,
  operatorNameOf,
  personOf,
  publicOf,
  recordOperator,
} from "./operators.ts";

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

/** Whose word on the operator's name is taken, and how it is proved. */
export interface Trusted {
  readonly header: string | undefined;
  readonly isTrusted: (address: string) => boolean;
  /** What has to stand before the name, and a space between them. */
  readonly secret: string | undefined;
}

/** What a trusted header says: nothing, an operator's name, or one that came without the proof it needs. */
export type Named = { readonly name: string } | "unproved" | undefined;

/**
 * The operator's name that a believed proxy gives. Two headers arrive joined by a comma and are no name.
 *
 * A proxy that forgets to set the header hands on its callers' own, from an address that is trusted. So the proof stands in the header
 * itself: a secret in a header of its own would be sent by the same forgetful proxy beside a name that it never looked at, while one that
 * writes the secret into this header has written the name. Without a secret the header is believed as it comes, which a start and
 * the settings say: a proxy on this machine worked so before there was one.
 */
export function trustedName(headers: Headers, peer: string, { header, isTrusted, secret }: Trusted): Named {
  const value = header === undefined || !isTrusted(peer) ? null : headers.get(header);
  if (value === null) return undefined;
  const told = secret === undefined ? value : afterSecret(value, secret);
  if (told === undefined) return "unproved";
  const name = operatorNameOf(asUtf8(told));
  return name === undefined ? undefined : { name };
}

/** What stands after the secret and a space; undefined where another text stands before it. */
function afterSecret(value: string, secret: string): string | undefined {
  const cut = value.indexOf(" ");
  const given = cut < 0 ? value : value.slice(0, cut);
  // Digests are of one length, so that how long the comparing takes tells nothing.
  return timingSafeEqual(digestOf(given), digestOf(secret)) ? value.slice(given.length).trim() : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A header is read as Latin-1, and most proxies write names in UTF-8: what is UTF-8 is taken for that. */
function asUtf8(text: string): string {
  try {
    return utf8.decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * The address a request comes from: what a believed proxy says of it, else the peer's own. Read from the end, where our own proxies write:
 * what stands before a hop that is no address may be anybody's.
 */
export function clientAddress(
  headers: Headers,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => withoutPort(hop.trim()));
  const outside = hops.findLast((hop) => !isTrusted(hop)) ?? "";
  return isIP(outside) === 0 ? peer : outside;
}

/** Some proxies write the port, too. */
function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
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
