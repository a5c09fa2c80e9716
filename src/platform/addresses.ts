import { isIP } from "node:net";

/** Addresses with the same first `prefix` bits. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Reads an address, which is a range of one, or a range in CIDR form (RFC 4632); undefined for anything else. */
export function addressRange(text: string): AddressRange | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return undefined;
  const longest = family === 6 ? 128 : 32;
  if (bits !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const prefix = bits === undefined ? longest : Number(bits);
  return prefix > longest ? undefined : { address, prefix, family: family === 6 ? "ipv6" : "ipv4" };
}
