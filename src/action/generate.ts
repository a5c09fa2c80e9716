/** `bun run action`: writes the action that stands in this repository, after its inputs or steps have changed. A test compares. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { actionFile } from "./action_file.ts";
import { actionFolder, GITHUB } from "./forge.ts";

if (import.meta.main) {
  const file = join(import.meta.dir, "..", "..", actionFolder(GITHUB), "action.yml");
  writeFileSync(file, actionFile(GITHUB));
}
