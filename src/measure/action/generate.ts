/** `bun run action`: writes the action that stands in this repository, after its inputs or steps have changed. A test compares. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionFile, actionFolder, GITHUB } from "./workflow.ts";

if (import.meta.main) {
  const file = join(import.meta.dir, "..", "..", "..", actionFolder(GITHUB), "action.yml");
  writeFileSync(file, actionFile(GITHUB));
}
