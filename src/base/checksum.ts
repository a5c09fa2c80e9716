/** A checksum against damage, not against forgery: xxHash64, cut to what a number holds. */
export function checksumOf(data: Uint8Array): number {
  return Number(Bun.hash.xxHash64(data) >> 11n);
}
