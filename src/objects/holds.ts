/** Whether an object lies in a store just as it is to be stored: the same for every store. */
import { readObject } from "./bounded.ts";
import { type ObjectStore, ObjectUnreadable, type StoredObject } from "./contract.ts";

/** `size` is what lies there, undefined where nothing does. A length alone would take what was damaged in the meantime for safe. */
export async function holds(
  store: Pick<ObjectStore, "where" | "read">,
  { sha256, storedBytes, storedSha256 }: StoredObject,
  size: number | undefined,
): Promise<boolean> {
  if (size !== storedBytes) return false;
  const hash = new Bun.CryptoHasher("sha256");
  try {
    for await (const piece of readObject(store, { sha256, storedBytes })) hash.update(piece);
  } catch (error) {
    if (error instanceof ObjectUnreadable) return false;
    throw error;
  }
  return hash.digest("hex") === storedSha256;
}
