/** What takes reports in the benches of the ingest: the service, and its yardsticks. On one core; the client has the other. */

import { join } from "node:path";
import { ROOT } from "../../../src/app/prepare.ts";
import { startService } from "../../support/service.ts";
import { onCore, started } from "./processes.ts";

export interface Target {
  readonly pid: number;
  readonly port: number;
  /** Absent at a yardstick. */
  readonly towerPort?: number;
  end(): Promise<unknown>;
}

/** Makes the bundle that `bun run start` runs, where there is none of these sources. */
export function buildService(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, join(ROOT, "src", "app", "build.ts")], {
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error("the service could not be built");
}

export async function startTower(
  dataDir: string,
  sites: readonly { readonly asset: string; readonly token: string }[],
): Promise<Target> {
  // A file: the kernel takes no setting of more than 128 KiB.
  const tokens = join(dataDir, "asset-tokens.txt");
  await Bun.write(tokens, sites.map(({ asset, token }) => `${asset}:${token}`).join("\n"));
  const settings = {
    DATA_DIR: dataDir,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    LOG_LEVEL: "error",
    // What the service can take is measured, not what a token may send.
    INGEST_BURST: "1000000",
    INGEST_BYTES_PER_DAY: "1000000000000",
    INGEST_PER_SECOND: "1000000",
    ASSET_TOKENS_FILE: tokens,
  };
  const service = await startService(settings, { before: onCore(0) });
  return {
    pid: service.pid,
    port: Number(new URL(service.ingestUrl).port),
    towerPort: Number(new URL(service.towerUrl).port),
    end: () => service.end("SIGKILL"),
  };
}

export async function startBare(
  kind: "validated" | "commit" | "nightly",
  folder: string,
  sites: readonly { readonly token: string }[],
): Promise<Target> {
  const script = join(import.meta.dir, "bare_service.ts");
  const { text, pid, end } = await started(
    [...onCore(0), process.execPath, script, kind, join(folder, "bare.db")],
    (said) => said.endsWith("\n"),
    new Blob([JSON.stringify(sites.map(({ token }) => token))]),
  );
  return { pid, port: Number(text), end };
}
