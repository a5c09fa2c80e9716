import { isIP } from "node:net";

/**
 * What counts as one place on the network: an IPv4 address, also one written as IPv6, or the first 64 bits of an IPv6 address,
 * which is what one customer is given (RFC 6177). A text that is no address stays itself.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = expand(address.replace(/%.*$/, ""));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text =
    dotted === null
      ? address
      : address.slice(0, dotted.index) +
        [(Number(dotted[1]) << 8) | Number(dotted[2]), (Number(dotted[3]) << 8) | Number(dotted[4])]
          .map((group) => group.toString(16))
          .join(":");
  const [head = "", tail] = text.split("::");
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const left = read(head);
  const right = tail === undefined ? [] : read(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}
