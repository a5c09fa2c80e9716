import { migrateStore } from "../../src/store/migrations.ts";
import { openImage, openStore, type Store } from "../../src/store/store.ts";

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
