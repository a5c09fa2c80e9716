/** A service under every kind of write and four readers for a while, with what must stay bounded looked at twice a second. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { type Service, startService } from "./service.ts";
import { judgeFolder, Storm } from "./storm.ts";

const READERS = ["/", "/flags", "/api/assets/site-0/pulses?limit=50", "/sites/site-1"] as const;
const LOOK_MS = 500;

/** Soaks a service for so many seconds, then stops it and judges its data. */
export async function soak(seconds: number) {
  using folder = temporaryFolder();
  const storm = new Storm({ dataDir: folder.path, sites: 8, acts: true, pauseMs: 20 });
  // Its memory is looked at: it gives back what it frees, as an installed service does, whatever the tests do.
  const service = await startService(storm.settings, { before: ["env", "-u", "MIMALLOC_PURGE_DELAY"] });
  const samples: { readonly log: number; readonly resident: number; readonly descriptors: number }[] = [];
  let pages = 0;
  let over = false;
  try {
    await storm.begin(service);
    const raging = storm.rage(service);
    const reading = READERS.map(async (path) => {
      while (!over) {
        const response = await fetch(`${service.towerUrl}${path}`, { headers: { "x-operator": "ada" } });
        await response.arrayBuffer();
        if (response.ok) pages++;
        await Bun.sleep(50);
      }
    });
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      await Bun.sleep(LOOK_MS);
      samples.push(sampleOf(service, folder.path));
    }
    over = true;
    storm.end();
    await Promise.all([raging, ...reading]);
    const exitCode = await service.end("SIGTERM");
    const { lost, faults } = await judgeFolder(folder.path, storm.acks);
    const early = samples[Math.floor(samples.length / 3)];
    const late = samples.at(-1);
    return {
      seconds,
      acknowledged: storm.acks.length,
      /** Answers of 500 and above; a conflict between two operators' acts is none. */
      refused: [...storm.refused].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0),
      pages,
      lost: lost.length,
      faults,
      /** Largest size of the database's log, in bytes. */
      logBytes: Math.max(...samples.map(({ log }) => log)),
      /** Resident memory after the first third and at the end, in bytes. */
      residentEarly: early?.resident ?? 0,
      residentLate: late?.resident ?? 0,
      descriptorsEarly: early?.descriptors ?? 0,
      descriptorsLate: late?.descriptors ?? 0,
      exitCode,
    };
  } finally {
    over = true;
    storm.end();
    await service.end("SIGKILL");
  }
}

function sampleOf({ pid }: Service, dataDir: string) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    log: statSync(join(dataDir, "tower.db-wal")).size,
    resident: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? "0") * 1_024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}
