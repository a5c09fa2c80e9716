import { migrateStore, openStore, type Store } from "../../src/db/mod.ts";
import { openImage } from "../../src/db/open.ts";

let image: Uint8Array | undefined;

/** A migrated database of its own in memory: migrations run once per process, every test gets a copy of the bytes. */
export function testStore(): Store {
  image ??= migratedImage();
  return openImage(image);
}

function migratedImage(): Uint8Array {
  const store = openStore(":memory:");
  migrateStore(store);
  const bytes = store.raw.serialize();
  store.close();
  return bytes;
}
