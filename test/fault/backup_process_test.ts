import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { bareEnvironment, runToEnd, type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.end("SIGKILL");
});

/** Backups in an ordinary run are few; `BACKUPS=100` is what the promise asks for. */
const BACKUPS = Number(Bun.env["BACKUPS"] ?? 2);
const CLIENTS = 6;
const sites = Array.from({ length: CLIENTS }, (_, i) => ({
  asset: `site-${i}`,
  token: `load-token-of-site-${i}`,
}));
const settings = {
  DATA_DIR: join(folder.path, "data"),
  INGEST_PORT: "0",
  TOWER_PORT: "0",
  LOG_LEVEL: "error",
  // The load is as fast as it goes: no site of it is to be told to wait.
  INGEST_BURST: "1000000",
  INGEST_BYTES_PER_DAY: "1000000000000",
  INGEST_PER_SECOND: "1000000",
  ASSET_TOKENS: sites.map(({ asset, token }) => `${asset}:${token}`).join(","),
};

interface Acknowledged {
  readonly kind: "pulse" | "codebase_report";
  readonly asset: string;
  readonly date: string;
  readonly revision: number;
}

/** Every site sends nightly and codebase reports in turn until told to stop; what was answered is appended to the list. */
function load(service: Service, acknowledged: Acknowledged[]): { stop(): Promise<unknown> } {
  let stopped = false;
  const generatedAt = new Date(Date.now() - 60_000).toISOString();
  const send = async ({ asset, token }: (typeof sites)[number]) => {
    for (let n = 0; !stopped; n++) {
      const nightly = n % 2 === 0;
      const body = nightly
        ? { asset, generatedAt, metrics: { signups: { last24h: n, total: n * 10 } } }
        : codebaseReport({ asset, generatedAt });
      const response = await fetch(`${service.ingestUrl}/api/${nightly ? "pulse" : "codebase-report"}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (response.status !== 201) throw new Error(`answered ${response.status}: ${await response.text()}`);
      const { date, revision } = (await response.json()) as { date: string; revision: number };
      acknowledged.push({ kind: nightly ? "pulse" : "codebase_report", asset, date, revision });
    }
  };
  const sending = Promise.all(sites.map(send));
  return {
    stop: () => {
      stopped = true;
      return sending;
    },
  };
}

function missingIn(dataDir: string, expected: readonly Acknowledged[]): Acknowledged[] {
  const store = openStore(join(dataDir, "tower.db"));
  const held = new Set(
    (["pulse", "codebase_report"] as const).flatMap((kind) =>
      store.raw
        .query<{ key: string }, []>(`SELECT asset || ' ' || date || ' ' || revision AS key FROM ${kind}`)
        .all()
        .map(({ key }) => `${kind} ${key}`),
    ),
  );
  store.close();
  return expected.filter(
    ({ kind, asset, date, revision }) => !held.has(`${kind} ${asset} ${date} ${revision}`),
  );
}

describe("backup and restore through the command line", () => {
  test(
    `${BACKUPS} backups under load restore to folders where nothing is wrong and nothing acknowledged before is missing (reliability D6)`,
    async () => {
      const service = await startService(settings);
      running.push(service);
      const acknowledged: Acknowledged[] = [];
      const storm = load(service, acknowledged);
      for (let n = 0; n < BACKUPS; n++) {
        const enough = acknowledged.length + 10;
        await until(
          async () => acknowledged.length,
          (length) => length >= enough,
        );
        const before = [...acknowledged];
        const made = await runToEnd("cli.ts", ["backup", `b${n}`], settings, folder.path);
        expect(made).toMatchObject({ code: 0, err: "" });
        expect(made.out).toContain("NOT in it");
        expect(acknowledged.length).toBeGreaterThan(before.length);

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
        expect(before.length).toBeGreaterThan(0);
        expect(missingIn(restored.DATA_DIR, before)).toEqual([]);
      }
      // The service has not noticed: the newest of them is tried apart from it.
      const drilled = await runToEnd("cli.ts", ["drill", ".", "--in", folder.path], settings, folder.path);
      expect(drilled).toMatchObject({ code: 0, err: "" });
      expect(drilled.out).toStartWith(`${join(folder.path, `b${BACKUPS - 1}`)}\n`);
      expect(drilled.out).toContain("\naccounts: none\n");
      await storm.stop();

      const onto = await runToEnd("cli.ts", ["restore", "b0"], settings, folder.path);
      expect(onto.code).toBe(1);
      expect(onto.err).toContain("another Tower process");
      expect(await service.end("SIGTERM")).toBe(0);
      running.pop();
      const over = await runToEnd("cli.ts", ["restore", "b0"], settings, folder.path);
      expect(over.code).toBe(1);
      expect(over.err).toContain("nothing is overwritten");
    },
    60_000 + BACKUPS * 5_000,
  );

  test("a backup that is killed leaves no file under its name, and the next one goes through", async () => {
    const data = join(folder.path, "large");
    const opened = await openFolder(data);
    await opened.deps.writer.write(() => {
      opened.deps.store.raw.run(
        "INSERT INTO service_state WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT 'n' || i, hex(randomblob(10000)), 0 FROM n",
      );
    });
    opened.close();
    const target = join(folder.path, "killed");
    const child = Bun.spawn([process.execPath, "src/cli.ts", "backup", target], {
      env: { ...bareEnvironment(), DATA_DIR: data },
      stdout: "ignore",
      stderr: "ignore",
    });
    const begun = () =>
      readdirSync(folder.path).some(
        (name) => name.startsWith(".tmp-tower-backup.") && statSync(join(folder.path, name)).size > 1_000_000,
      );
    await until(
      async () => begun() || child.exitCode !== null,
      (over) => over,
    );
    child.kill("SIGKILL");
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(existsSync(target)).toBe(false);
    const again = await runToEnd("cli.ts", ["backup", target], { DATA_DIR: data });
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(statSync(target).size).toBeGreaterThan(60_000_000);
  }, 60_000);
});
