/** Makes the bundle that `bun run start` runs, where there is none of these sources. */

import { join } from "node:path";
import { ROOT } from "../../../src/app/prepare.ts";

export function buildService(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, join(ROOT, "src", "app", "build.ts")], {
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error("the service could not be built");
}
