import { expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";

test("neither a set-up link that cannot be written to its file nor an archive that others may look into ends a start: the service answers, and tells both", async () => {
  using folder = temporaryFolder();
  const [DATA_DIR, RAW_SIGNALS] = [join(folder.path, "data"), join(folder.path, "raw")];
  (await openFolder(DATA_DIR, { RAW_SIGNALS })).close();
  mkdirSync(RAW_SIGNALS);
  chmodSync(RAW_SIGNALS, 0o755);
  mkdirSync(join(DATA_DIR, "setup-link.txt", "full"), { recursive: true });
  const service = await startService({ DATA_DIR, RAW_SIGNALS, INGEST_PORT: "0", TOWER_PORT: "0" });
  try {
    expect((await fetch(`${service.towerUrl}/readyz`)).status).toBe(200);
    expect((await fetch(`${service.towerUrl}/setup`)).status).toBe(200);
    expect(await service.end("SIGTERM")).toBe(0);
    const errors = await service.errors();
    expect(errors).toContain('"what":"the set-up link"');
    expect(errors).toContain(`others on this machine may look into the archive at ${RAW_SIGNALS}`);
  } finally {
    await service.end("SIGKILL");
  }
});
