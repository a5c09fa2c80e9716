import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd, type Service, startService } from "../support/service.ts";
import { type Ack, lostOf, Storm } from "../support/storm.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.end("SIGKILL");
});

/** Backups in an ordinary run are few; `BACKUPS=100` is what the promise asks for. */
const BACKUPS = Number(Bun.env["BACKUPS"] ?? 1);
const storm = new Storm({ dataDir: join(folder.path, "data"), pauseMs: 20 });
const { settings } = storm;

function missingIn(dataDir: string, expected: readonly Ack[]): Ack[] {
  const store = openStore(join(dataDir, "tower.db"));
  try {
    return lostOf(store, expected);
  } finally {
    store.close();
  }
}

describe("backup and restore through the command line", () => {
  test(
    `${BACKUPS} backup${BACKUPS === 1 ? "" : "s"} under load: what is restored of each is a folder where nothing is wrong and nothing acknowledged before is missing (reliability D6)`,
    async () => {
      const service = await startService(settings);
      running.push(service);
      await storm.begin(service);
      const raging = storm.rage(service);
      for (let n = 0; n < BACKUPS; n++) {
        const enough = storm.acks.length + 10;
        await until(
          async () => storm.acks.length,
          (length) => length >= enough,
        );
        const before = [...storm.acks];
        const made = await runToEnd("cli.ts", ["backup", `b${n}`], settings, folder.path);
        expect(made).toMatchObject({ code: 0, err: "" });
        expect(made.out).toContain("NOT in it");
        expect(storm.acks.length).toBeGreaterThan(before.length);

        const restored = { ...settings, DATA_DIR: join(folder.path, `restored-${n}`) };
        const key = join("data", "credentials.key");
        const done = await runToEnd("cli.ts", ["restore", `b${n}`, "--key-file", key], restored, folder.path);
        expect(done).toMatchObject({ code: 0, err: "" });
        expect(done.out).toContain("credentials.key was written");
        const checked = await runToEnd("cli.ts", ["check"], restored);
        expect(checked).toMatchObject({ code: 0, err: "" });
        // Beside the running service, too: reports that arrive meanwhile are no faults.
        const beside = await runToEnd("cli.ts", ["check"], settings);
        expect(beside).toMatchObject({ code: 0, err: "" });
        expect(missingIn(restored.DATA_DIR, before)).toStrictEqual([]);
      }
      // The service has not noticed: the newest of them is tried apart from it.
      const drilled = await runToEnd("cli.ts", ["drill", ".", "--in", folder.path], settings, folder.path);
      expect(drilled).toMatchObject({ code: 0, err: "" });
      expect(drilled.out).toStartWith(`${join(folder.path, `b${BACKUPS - 1}`)}\n`);
      expect(drilled.out).toContain("\naccounts: none\n");
      storm.end();
      await raging;
      expect([...storm.refused]).toStrictEqual([]);

      const onto = await runToEnd("cli.ts", ["restore", "b0"], settings, folder.path);
      expect(onto.code).toBe(1);
      expect(onto.err).toContain("another Tower process");
      expect(await service.end("SIGTERM")).toBe(0);
      running.pop();
      const over = await runToEnd("cli.ts", ["restore", "b0"], settings, folder.path);
      expect(over.code).toBe(1);
      expect(over.err).toContain("nothing is overwritten");
    },
    300_000 + BACKUPS * 5_000,
  );
});
