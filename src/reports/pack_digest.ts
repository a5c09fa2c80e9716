import { rowDigester } from "../db/mod.ts";
import type { Pack } from "./pack.ts";

const digestOf = rowDigester(["asset", "first", "last", "bodies", "bytes", "data"]);

/** The digest that a pack carries, by which a changed byte of it is found before it is unpacked. */
export function packDigest({ asset, first, last, bodies, bytes, data }: Omit<Pack, "id">): number {
  return digestOf({ asset, first, last, bodies, bytes, data: Bun.hash.xxHash64(data).toString(16) });
}
