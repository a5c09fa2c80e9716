import { describe, expect, test } from "bun:test";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { takeDataLock } from "../../src/store/lock.ts";
import { mountNew, whyNot } from "../support/loop_mount.ts";
import { runToEnd, type Service, startService } from "../support/service.ts";
import { judgeFolderApart, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

const MEGABYTES = 64;

/** Fills what is left of a disk, to its last block. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 1024 * 1024; size >= 512; size /= 2) {
      const bytes = new Uint8Array(size);
      try {
        for (;;) writeSync(file, bytes);
      } catch {
        // Full for pieces of this size.
      }
    }
  } finally {
    closeSync(file);
  }
}

const person = { "x-operator": "ada" };

/** What a monitor, a site and an operator see. */
async function seenOf(service: Service, storm: Storm) {
  const [site] = storm.sites;
  const ready = await fetch(`${service.towerUrl}/readyz`);
  const page = await fetch(`${service.towerUrl}/`, { headers: person });
  const listed = await fetch(`${service.towerUrl}/api/flags?rule=disk-space`, { headers: person });
  const sent = await fetch(`${service.ingestUrl}/api/codebase-report`, {
    method: "POST",
    headers: { authorization: `Bearer ${site?.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      asset: site?.asset,
      generatedAt: new Date().toISOString(),
      measures: { files: 1 },
    }).padEnd(200_000, " "),
  });
  await sent.arrayBuffer();
  return {
    ready: ready.status,
    reason: ((await ready.json()) as { reason?: string }).reason,
    sent: sent.status,
    retryAfter: sent.headers.has("retry-after"),
    pages: page.status,
    warned: /Nothing can be stored now: the disk is full\./.test(await page.text()),
    flags: ((await listed.json()) as { items: { severity: string; status: string }[] }).items.map(
      ({ severity, status }) => `${severity} ${status}`,
    ),
  };
}

const FULL = {
  ready: 503,
  reason: "writes are refused: the disk is full",
  sent: 503,
  retryAfter: true,
  pages: 200,
  warned: true,
  flags: ["warn open"],
};
const WELL = {
  ready: 200,
  reason: undefined,
  sent: 201,
  retryAfter: false,
  pages: 200,
  warned: false,
  flags: ["warn open"],
};

const REASONS = { ext4: await whyNot("ext4"), tmpfs: await whyNot("tmpfs") };

// Each waits for looks that the service takes once a second: all at once, each on a disk of its own.
describe.concurrent("a full disk (reliability D3)", () => {
  for (const kind of ["tmpfs", "ext4"] as const) {
    const reason = REASONS[kind];
    const here = test.skipIf(reason !== undefined);
    const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
    if (reason !== undefined) process.stdout.write(`the full disk on ${kind} is not run here: ${reason}\n`);

    here(
      `of ${MEGABYTES} MiB, ${kind}: reads go on, writes are refused, a stop and a start work on it, and it recovers by itself${suffix}`,
      async () => {
        await using mounted = await mountNew(kind, MEGABYTES);
        const dataDir = join(mounted.path, "data");
        const filler = join(mounted.path, "filler");
        const storm = new Storm({ dataDir, pauseMs: 20 });
        let service = await startService(storm.settings);
        try {
          await storm.begin(service);
          const look = () => seenOf(service, storm);
          // The flag is raised while there still is room for it.
          expect((await until(look, ({ flags }) => flags.length > 0)).seen).toEqual(WELL);

          fill(filler);
          const raging = storm.rage(service);
          expect((await until(look, (seen) => Bun.deepEquals(seen, FULL))).seen).toEqual(FULL);
          storm.end();
          await raging;

          const stopping = performance.now();
          expect(await service.end("SIGTERM")).toBe(0);
          const stopMs = Math.round(performance.now() - stopping);
          fill(`${filler}-2`);
          service = await startService(storm.settings);
          expect((await until(look, (seen) => Bun.deepEquals(seen, FULL))).seen).toEqual(FULL);

          rmSync(filler, { force: true });
          rmSync(`${filler}-2`, { force: true });
          const recovered = await until(
            async () => (await fetch(`${service.towerUrl}/readyz`)).status,
            (status) => status === 200,
          );
          expect(recovered.seen).toBe(200);
          expect(await look()).toEqual(WELL);
          expect(await service.end("SIGTERM")).toBe(0);
          process.stdout.write(
            `${kind}: ${storm.acks.length} acknowledged, ${storm.refused.get(503) ?? 0} refused, stopped in ${stopMs} ms on the full disk, ready ${recovered.afterMs} ms after there was room\n`,
          );
        } finally {
          await service.end("SIGKILL");
        }
        const { lost, faults } = await judgeFolderApart(dataDir, storm.acks);
        expect({ lost, faults }).toEqual({ lost: [], faults: [] });
      },
    );

    here(
      `of ${MEGABYTES} MiB, ${kind}: a first start on it ends in one line that says so${suffix}`,
      async () => {
        await using mounted = await mountNew(kind, MEGABYTES);
        fill(join(mounted.path, "filler"));
        const settings = { DATA_DIR: join(mounted.path, "data"), INGEST_PORT: "0", TOWER_PORT: "0" };
        const { code, out, err } = await runToEnd("main.ts", [], settings);
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(err).toMatch(/^tower: [^\n]*the disk is full[^\n]*\n$/);
      },
    );
  }
});

describe("a disk that can only be read", () => {
  const reason = REASONS.tmpfs;
  const here = test.skipIf(reason !== undefined);
  const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;

  here(
    `is told apart from another Tower, by the lock and by a start, each in one line${suffix}`,
    async () => {
      await using mounted = await mountNew("tmpfs", 4);
      await mounted.remountReadOnly();
      expect(() => takeDataLock(mounted.path)).toThrow(/lock\.db cannot be taken: it can only be read$/);
      const { code, err } = await runToEnd("main.ts", [], { DATA_DIR: mounted.path });
      expect(code).toBe(2);
      expect(err).toMatch(
        /^tower: DATA_DIR is [^\n]* not a writable folder \(it can only be read\)[^\n]*\n$/,
      );
    },
  );
});
