import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";

test("an archive that others may look into is told at the start", async () => {
  using folder = temporaryFolder();
  const raw = join(folder.path, "raw");
  mkdirSync(raw);
  chmodSync(raw, 0o755);
  const service = await startService({
    DATA_DIR: join(folder.path, "data"),
    RAW_SIGNALS: raw,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
  });
  try {
    expect(await service.end("SIGTERM")).toBe(0);
    expect(await service.errors()).toContain(`others on this machine may look into the archive at ${raw}`);
  } finally {
    await service.end("SIGKILL");
  }
});

describe("a step of the start that does not come off", () => {
  test("a set-up link that cannot be written to its file ends no start: the service answers, and says what it put off", async () => {
    using folder = temporaryFolder();
    const settings = {
      DATA_DIR: folder.path,
      RAW_SIGNALS: join(folder.path, "raw"),
      INGEST_PORT: "0",
      TOWER_PORT: "0",
    };
    const first = await startService(settings);
    expect(await first.end("SIGTERM")).toBe(0);
    const inTheWay = join(folder.path, "setup-link.txt");
    rmSync(inTheWay, { force: true });
    mkdirSync(join(inTheWay, "full"), { recursive: true });
    const service = await startService(settings);
    try {
      expect((await fetch(`${service.towerUrl}/readyz`)).status).toBe(200);
      expect((await fetch(`${service.towerUrl}/setup`)).status).toBe(200);
      expect(await service.end("SIGTERM")).toBe(0);
      expect(await service.errors()).toContain('"what":"the set-up link"');
    } finally {
      await service.end("SIGKILL");
    }
  });
});
