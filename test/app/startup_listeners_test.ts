/** The listeners before the data is open: they say that the service lives and is not ready, and keep a request waiting for a moment. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStartupListeners, onceThere } from "../../src/app/serve.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { expectProblem } from "../support/problem.ts";
import { startService } from "../support/service.ts";
import { testTower } from "../support/test_tower.ts";

const service = await testTower();
afterAll(() => service.close());
const { host } = new URL(service.origin);
const ports = () => ({ ingest: 4610, tower: Number(new URL(service.origin).port) });
const AT_INGEST = { host: "127.0.0.1:4610" };
const ask = (path: string, init: RequestInit = {}) =>
  new Request(`${service.origin}${path}`, { ...init, headers: { host, ...init.headers } });

test("pages that cannot be loaded fail a request with its id, not the ones after it", async () => {
  let tries = 0;
  const pages = async () => {
    if (++tries === 1) throw new Error("a file is missing");
    return service.tower;
  };
  const tower = onceThere(service.deps, ports, pages);
  await expectProblem(await tower(ask("/readyz")), "internal-error");
  expect((await tower(ask("/readyz"))).status).toBe(200);
});

describe("the listeners while the data is being opened", () => {
  test("the service lives and is not ready", async () => {
    const { tower } = createStartupListeners(service.deps, ports);
    const [alive, ready] = [await tower(ask("/healthz")), await tower(ask("/readyz"))];
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
    expect([ready.status, ready.headers.get("retry-after"), await ready.json()]).toMatchSnapshot();
  });

  test("what waits is answered by the service once it is there", async () => {
    const starting = createStartupListeners(service.deps, ports);
    const [page, report] = [
      starting.tower(ask("/sign-in")),
      starting.ingest(ask("/api/pulse", { method: "POST", body: "{}", headers: AT_INGEST })),
    ];
    starting.become(service);
    expect((await page).status).toBe((await service.tower(ask("/sign-in"))).status);
    await expectProblem(await report, "unauthenticated");
    expect((await starting.tower(ask("/readyz"))).status).toBe(200);
  });

  test("what waits too long is asked to come again, and a host that is none of ours is refused as ever", async () => {
    const starting = createStartupListeners(service.deps, ports, 1);
    for (const answer of [
      await starting.ingest(ask("/api/pulse", { method: "POST", body: "{}", headers: AT_INGEST })),
      await starting.tower(ask("/")),
    ]) {
      expect(answer.headers.get("retry-after")).toBe("2");
      await expectProblem(answer, "storage-unavailable");
    }
    await expectProblem(
      await starting.tower(ask("/healthz", { headers: { host: "elsewhere.example" } })),
      "unknown-host",
    );
  });
});

describe("a large database is looked through before it is opened", () => {
  /** Makes the database larger than what is looked through at once. */
  function enlarge(path: string, keep: boolean): void {
    const db = new Database(path);
    db.run("CREATE TABLE ballast (bytes BLOB)");
    db.run("INSERT INTO ballast VALUES (zeroblob(20 * 1024 * 1024))");
    if (!keep) db.run("DROP TABLE ballast");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
  }

  test("one that is sound is served", async () => {
    using folder = temporaryFolder();
    (await openFolder(folder.path)).close();
    enlarge(join(folder.path, "tower.db"), false);
    const running = await startService({ DATA_DIR: folder.path, INGEST_PORT: "0", TOWER_PORT: "0" });
    expect((await fetch(new URL("/readyz", running.towerUrl))).status).toBe(200);
    expect(await running.end("SIGTERM")).toBe(0);
  });

  test("one that is not of this release, or damaged, is refused, and nothing in it is changed", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "tower.db");
    (await openFolder(folder.path)).close();
    enlarge(path, true);
    const refused = "tower.db must not be opened: ";
    await expect(openFolder(folder.path)).rejects.toThrow(`${refused}table ballast is not of this release`);
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
    bytes.fill(0x5a, 8_192, 16_384);
    writeFileSync(path, bytes);
    await expect(openFolder(folder.path)).rejects.toThrow(refused);
    expect(Buffer.from(await Bun.file(path).arrayBuffer()).equals(bytes)).toBe(true);
  });
});
