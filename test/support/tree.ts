/** Everything below a folder: each file with its mode and what it holds. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/base/keys.ts";

export function treeOf(path: string): Readonly<Record<string, string>> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const at = join(entry.parentPath, entry.name);
      const held = entry.isFile() ? sha256Hex(readFileSync(at)) : "";
      return [at, `${statSync(at).mode.toString(8)} ${held}`] as const;
    }),
  );
}
