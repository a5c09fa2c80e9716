/** A job that takes long, asked for by real processes: beside a service and without one, twice at once, interrupted, killed. */

import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { listRuns } from "../../src/store/job_runs.ts";
import { openStore } from "../../src/store/store.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { bareEnvironment, finished, runToEnd, type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const CLI = join(import.meta.dir, "..", "..", "src", "cli.ts");
const JOB = ["job", "run", "webmaster-tools"] as const;

/** A provider that takes every question and answers none. */
let asked = 0;
const silent = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: () => {
    asked++;
    return new Promise<Response>(() => undefined);
  },
});
const children: Bun.Subprocess[] = [];
const services: Service[] = [];
const folders: ReturnType<typeof temporaryFolder>[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const service of services.splice(0)) await service.end("SIGKILL");
  for (const folder of folders.splice(0)) folder[Symbol.dispose]();
});
afterAll(() => silent.stop(true));

/** A data folder with a key that the silent provider is asked with. */
async function settingsWithKey(): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  folders.push(folder);
  const opened = await openFolder(folder.path);
  const secret = { kind: "webmaster-tools-key", key: "0123456789abcdef0123456789abcdef" } as const;
  await addCredential(
    opened.deps,
    { provider: "webmaster-tools", secret, label: "" },
    { actor: "test", now: opened.deps.clock.now() },
  );
  opened.close();
  asked = 0;
  return {
    DATA_DIR: folder.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    WEBMASTER_TOOLS_URL: `http://127.0.0.1:${silent.port}`,
  };
}

/** The command in a process of its own, which goes on until it is told. */
function begin(settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn([process.execPath, CLI, ...JOB], {
    env: { ...bareEnvironment(), ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  children.push(child);
  const ended = finished(child);
  return { interrupt: () => child.kill("SIGINT"), kill: () => child.kill("SIGKILL"), ended };
}

const isAsked = () =>
  until(
    async () => asked,
    (times) => times > 0,
  );

const runsIn = ({ DATA_DIR = "" }: Readonly<Record<string, string>>) => {
  const store = openStore(join(DATA_DIR, "tower.db"));
  try {
    return listRuns(store.db, "webmaster-tools", 9).map(({ end }) => end && `${end.outcome} ${end.fault}`);
  } finally {
    store.close();
  }
};

describe("without a service", () => {
  test("a second one is busy, and other commands are answered meanwhile; interrupted, it ends by itself and says so", async () => {
    const settings = await settingsWithKey();
    const first = begin(settings);
    await isAsked();
    const second = await runToEnd("cli.ts", JOB, settings);
    expect(second.code).toBe(3);
    expect(JSON.parse(second.out)).toMatchObject({ job: "webmaster-tools", outcome: "busy", reports: {} });
    expect((await runToEnd("cli.ts", ["asset", "list"], settings)).code).toBe(0);
    first.interrupt();
    const { code, out, err } = await first.ended;
    expect(JSON.parse(out)).toMatchObject({ job: "webmaster-tools", outcome: "failed" });
    expect(err).toContain("it was stopped");
    expect(code).toBe(1);
    expect(runsIn(settings)).toEqual(["failed stopped"]);
  });

  test("killed, it leaves a run that the next process ends as cut off, and no job that is held", async () => {
    const settings = await settingsWithKey();
    const first = begin(settings);
    await isAsked();
    first.kill();
    await first.ended;
    expect(runsIn(settings)).toEqual([undefined]);
    expect((await runToEnd("cli.ts", ["job", "run", "heartbeat"], settings)).code).toBe(0);
    expect(runsIn(settings)).toEqual(["failed cut_off"]);
  });
});

test("beside a service, interrupted, it stops the run that it asked for, and the service lives on; one that is told to stop ends the run and the database, in that order, within its bound", async () => {
  const settings = await settingsWithKey();
  const service = await startService(settings);
  services.push(service);
  const first = begin(settings);
  await isAsked();
  first.interrupt();
  await first.ended;
  const { seen } = await until(
    async () => runsIn(settings)[0],
    (end) => end !== undefined,
  );
  expect(seen).toBe("failed stopped");
  expect((await fetch(`${service.towerUrl}/healthz`)).status).toBe(200);
  asked = 0;
  const second = begin(settings);
  await isAsked();
  expect(await service.end("SIGTERM")).toBe(0);
  await second.ended;
  expect(runsIn(settings)).toEqual(["failed stopped", "failed stopped"]);
  expect(await service.errors()).not.toContain("given up");
});
