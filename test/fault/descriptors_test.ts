/** Descriptors the service may have: more connections than that are opened. */

import { describe, expect, test } from "bun:test";
import type { Socket } from "bun";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";
import { judgeFolder, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

const LIMIT = 160;
const CONNECTIONS = 400;

describe("file descriptors run out", () => {
  test("connections beyond the limit on which no request comes are closed, it is said, and reports get through again, time after time", async () => {
    using folder = temporaryFolder();
    const storm = new Storm({ dataDir: folder.path, sites: 2, pauseMs: 20 });
    const service = await startService(storm.settings, {
      before: ["bash", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "bash"],
    });
    const held: Socket<undefined>[] = [];
    try {
      await storm.begin(service);
      for (let flood = 0; flood < 2; flood++) {
        const ports = [service.ingestUrl, service.towerUrl].map((url) => Number(new URL(url).port));
        const opening = await Promise.allSettled(
          Array.from({ length: CONNECTIONS }, (_, i) =>
            Bun.connect({
              hostname: "127.0.0.1",
              port: ports[i % 2] ?? 0,
              socket: { open: (socket) => void socket.write("GET / HT"), data: () => undefined },
            }),
          ),
        );
        for (const one of opening) if (one.status === "fulfilled") held.push(one.value);
        // On a connection of its own: one that was open before needs no descriptor.
        const getsThrough = await until(
          async () => {
            try {
              const asked = { keepalive: false, signal: AbortSignal.timeout(1_000) };
              return (await fetch(`${service.towerUrl}/readyz`, asked)).status;
            } catch {
              return 0;
            }
          },
          (status) => status === 200,
        );
        expect(getsThrough.seen).toBe(200);
        await storm.begin(service);
      }
      const metrics = await (
        await fetch(`${service.towerUrl}/metrics`, { headers: { "x-operator": "ada" } })
      ).text();
      expect(Number(/^tower_descriptor_shortages_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
      expect(await service.end("SIGTERM")).toBe(0);
      expect(await service.errors()).toContain("file descriptors are running out");
    } finally {
      for (const socket of held) socket.end();
      await service.end("SIGKILL");
    }
    expect(await judgeFolder(folder.path, storm.acks)).toEqual({ lost: [], faults: [] });
  });
});
