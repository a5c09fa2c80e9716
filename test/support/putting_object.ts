/** A process that stores one object in a directory, and says what came of it: `bun putting_object.ts <archive> <content> [given]`. */

import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { DirectoryStore } from "../../src/store/directory_store.ts";
import { StoreFault } from "../../src/store/objects.ts";
import { seededIds } from "./ids.ts";
import { objectHolding, spooled } from "./objects.ts";

const [archive = "", content = "", given = ""] = process.argv.slice(2);
process.umask(0o077);
const object = objectHolding(content);
const file = spooled(dirname(archive), object);
try {
  process.stdout.write(
    await new DirectoryStore(archive, seededIds()).put(object, file, { given: given !== "" }),
  );
} catch (error) {
  if (!(error instanceof StoreFault)) throw error;
  process.stdout.write(`fault ${error.kind}`);
} finally {
  rmSync(file, { force: true });
}
