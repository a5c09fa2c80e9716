import { join } from "node:path";
import { ROOT } from "../../src/bundle.ts";

/** Makes the bundle that `bun run start` runs, where there is none of these sources. */
export function buildService(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, join(ROOT, "src", "build.ts")], {
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error("the service could not be built");
}
