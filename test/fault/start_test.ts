import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";

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
