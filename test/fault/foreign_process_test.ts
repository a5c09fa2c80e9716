import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";
import { judgeFolder, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

/** Starts another program at the database and waits until it holds what it is to hold. */
async function foreign(dataDir: string, what: "reader" | "writer") {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/hold_database.ts"), join(dataDir, "tower.db"), what],
    { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  const { done } = await child.stdout.getReader().read();
  if (done) throw new Error(`the other ${what} did not get hold of the database`);
  return {
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const person = { "x-operator": "ada" };

// Each waits for seconds that the service counts: both at once.
describe.concurrent("another program at the database", () => {
  test("a reader that stays makes the log grow: it is named on a flag, in the log and on every page, and all is well when it has gone", async () => {
    using folder = temporaryFolder();
    const storm = new Storm({ dataDir: folder.path, padding: 200_000, pauseMs: 20 });
    const service = await startService(storm.settings);
    const logBytes = () => statSync(join(folder.path, "tower.db-wal")).size;
    const flags = async () => {
      const answer = await fetch(`${service.towerUrl}/api/flags?rule=wal-size`, { headers: person });
      const { items } = (await answer.json()) as { items: { status: string; message: string }[] };
      return items;
    };
    try {
      await storm.begin(service);
      await using reader = await foreign(folder.path, "reader");
      const raging = storm.rage(service);
      await until(
        async () => logBytes(),
        (bytes) => bytes > 64 * MIB,
      );
      storm.end();
      await raging;
      const named = `(process ${reader.pid}) keeps it from shrinking`;
      const raised = await until(flags, (items) => items.some(({ message }) => message.includes(named)));
      const peak = logBytes();
      expect(raised.seen).toMatchObject([{ status: "open", message: expect.stringContaining(named) }]);
      expect(peak).toBeGreaterThan(64 * MIB);
      const page = await fetch(`${service.towerUrl}/`, { headers: person });
      expect(await page.text()).toContain(named);

      await reader[Symbol.asyncDispose]();
      const again = storm.rage(service);
      const resolved = await until(flags, (items) => items.every(({ status }) => status === "resolved"));
      storm.end();
      await again;
      expect(resolved.seen.map(({ status }) => status)).toEqual(["resolved"]);
      expect(logBytes()).toBeLessThanOrEqual(64 * MIB);
      process.stdout.write(
        `foreign reader: log ${Math.round(peak / MIB)} MiB, back to ${Math.round(logBytes() / MIB)} MiB ${resolved.afterMs} ms after it went\n`,
      );
      expect(await service.end("SIGTERM")).toBe(0);
      expect(await service.errors()).toContain(`(process ${reader.pid})`);
    } finally {
      await service.end("SIGKILL");
    }
    expect(await judgeFolder(folder.path, storm.acks)).toEqual({ lost: [], faults: [] });
  });

  test("a writer that stays holds up writes alone: everything else is answered, its name is told, and a stop ends", async () => {
    using folder = temporaryFolder();
    const storm = new Storm({ dataDir: folder.path, sites: 2, pauseMs: 20 });
    const service = await startService(storm.settings);
    try {
      // The proxy's operator is written down at the first sight: before the lock, so that reading pages writes nothing.
      await (await fetch(`${service.towerUrl}/`, { headers: person })).text();
      await storm.begin(service);
      await using writer = await foreign(folder.path, "writer");
      let answered = 0;
      let slowest = 0;
      let over = false;
      const asking = (async () => {
        while (!over) {
          const asked = performance.now();
          expect((await fetch(`${service.towerUrl}/`, { headers: person })).status).toBe(200);
          slowest = Math.max(slowest, performance.now() - asked);
          answered++;
          await Bun.sleep(50);
        }
      })();
      const raging = storm.rage(service);
      const ready = async () => {
        const answer = await fetch(`${service.towerUrl}/readyz`);
        return { status: answer.status, reason: ((await answer.json()) as { reason?: string }).reason };
      };
      asking.catch(() => undefined);
      const refusing = await until(ready, ({ reason }) => reason?.startsWith("writes are refused") === true);
      expect(refusing.seen).toEqual({
        status: 503,
        reason: expect.stringContaining(`(process ${writer.pid}) keeps the database locked`),
      });
      // Whatever still waits for the lock when it is freed is stored after all: the storm ends once one report was refused.
      await until(
        async () => storm.refused.size,
        (statuses) => statuses > 0,
      );
      over = true;
      storm.end();
      await asking;
      // SQLite's own waiting would leave room for one answer or two.
      expect(answered).toBeGreaterThan(10);

      await writer[Symbol.asyncDispose]();
      await raging;
      expect([...storm.refused.keys()]).toEqual([503]);
      const free = await until(ready, ({ status }) => status === 200);
      expect(free.seen.status).toBe(200);
      await using _second = await foreign(folder.path, "writer");
      const late = storm.rage(service);
      const queued = async () => {
        const figures = await (await fetch(`${service.towerUrl}/metrics`, { headers: person })).text();
        return Number(/^tower_queued_writes (\d+)$/m.exec(figures)?.[1]);
      };
      const waiting = await until(queued, (writes) => writes > 0);
      expect(waiting.seen).toBeGreaterThan(0);
      const stopping = performance.now();
      expect(await service.end("SIGTERM")).toBe(0);
      const stopMs = Math.round(performance.now() - stopping);
      storm.end();
      await late;
      process.stdout.write(
        `foreign lock: ${answered} pages meanwhile, the slowest ${Math.round(slowest)} ms; ready ${free.afterMs} ms after it went; stop under it in ${stopMs} ms\n`,
      );
    } finally {
      await service.end("SIGKILL");
    }
    expect(await judgeFolder(folder.path, storm.acks)).toEqual({ lost: [], faults: [] });
  });
});
