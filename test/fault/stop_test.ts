import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";
import { judgeFolder, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

describe("a stop always ends", () => {
  test("a log that cannot be written, as on a full disk, takes nothing with it: the service goes on and stops in order", async () => {
    using folder = temporaryFolder();
    const settings = {
      DATA_DIR: folder.path,
      INGEST_PORT: "0",
      TOWER_PORT: "0",
      LOG_LEVEL: "debug",
    };
    const before = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh"];
    const service = await startService(settings, { before });
    try {
      expect((await fetch(`${service.towerUrl}/healthz`)).status).toBe(200);
    } finally {
      expect(await service.end("SIGTERM")).toBe(0);
    }
  });

  test("while checkpoints fail they are counted and told, reports are stored, and SIGTERM ends the service", async () => {
    using folder = temporaryFolder();
    const storm = new Storm({ dataDir: folder.path, padding: 200_000, pauseMs: 20 });
    const service = await startService(storm.settings);
    const path = join(folder.path, "tower.db");
    try {
      await storm.begin(service);
      // The checkpointer opens the file by its name when there first is something to move; the service has it open already.
      renameSync(path, `${path}.away`);
      mkdirSync(path);
      const raging = storm.rage(service);
      const failures = await until(
        async () => {
          const text = await (
            await fetch(`${service.towerUrl}/metrics`, { headers: { "x-operator": "ada" } })
          ).text();
          return Number(/^tower_checkpoint_failures_total (\d+)/m.exec(text)?.[1] ?? "0");
        },
        (count) => count > 1,
      );
      expect(failures.seen).toBeGreaterThan(1);
      const page = await (await fetch(`${service.towerUrl}/`, { headers: { "x-operator": "ada" } })).text();
      expect(page).toContain("log cannot be moved into its file (SQLITE_CANTOPEN");
      const stopping = performance.now();
      expect(await service.end("SIGTERM")).toBe(0);
      process.stdout.write(
        `stopped in ${Math.round(performance.now() - stopping)} ms while checkpoints failed\n`,
      );
      storm.end();
      await raging;
      const errors = await service.errors();
      expect(errors.match(/a checkpoint failed and is tried again/g)).toHaveLength(1);
    } finally {
      await service.end("SIGKILL");
      rmdirSync(path);
      renameSync(`${path}.away`, path);
    }
    expect(await judgeFolder(folder.path, storm.acks)).toEqual({ lost: [], faults: [] });
  });
});
