/** Packing that is killed, before any of its steps or at any moment: nothing is lost, and the next run does the rest. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { listPacks, objectsNamed } from "../../src/archive/objects.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import type { Db } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { archiveAt, packDue } from "../support/packing.ts";
import { startS3 } from "../support/s3_server.ts";
import { testTower } from "../support/test_tower.ts";

const PACKED = "2026-10-01T12:00:00Z";
const CLEARED = "2026-10-09T12:00:00Z";
const SITES = ["harbor.example", "inn.example"];

async function damaged(db: Db, store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for (const object of objectsNamed(db)) {
    const fault = await verifyObject(store, object);
    if (fault !== undefined) found.push(`${object.sha256} ${fault}`);
  }
  return found;
}

test("killed before any of its steps", async () => {
  for (let dies = 0, isOver = false; !isOver; dies++) {
    using folder = temporaryFolder();
    const settings = { DATA_DIR: folder.path, RAW_SIGNALS: join(folder.path, "raw") };
    const tower = await testTower({ settings });
    const { deps } = tower;
    const { objects, store } = deps;
    for (let n = 0; n < 6; n++) {
      await archiveAt(deps, `2026-07-0${n + 1}T00:00:00Z`, `{"n":${n}}`, { asset: SITES[n % 2] ?? "" });
    }
    let steps = 0;
    let death = Promise.withResolvers<void>();
    const door =
      <A extends unknown[], R>(act: (...given: A) => Promise<R>) =>
      (...given: A): Promise<R> => {
        if (steps++ < dies) return act(...given);
        death.resolve();
        return new Promise(() => undefined);
      };
    const dying = {
      ...deps,
      writer: { write: door((...given: Parameters<Writer["write"]>) => deps.writer.write(...given)) },
      objects: Object.assign(Object.create(objects) as ObjectStore, {
        put: door((...given: Parameters<ObjectStore["put"]>) => objects.put(...given)),
        remove: door((...given: Parameters<ObjectStore["remove"]>) => objects.remove(...given)),
        listFiles: (folder: string) => objects.listFiles(folder),
        find: (...given: Parameters<ObjectStore["find"]>) => objects.find(...given),
        read: (...given: Parameters<ObjectStore["read"]>) => objects.read(...given),
        readFile: (...given: Parameters<ObjectStore["readFile"]>) => objects.readFile(...given),
      }),
    } as unknown as typeof deps;
    isOver = true;
    for (const moment of [PACKED, CLEARED]) {
      deps.clock.at(moment);
      death = Promise.withResolvers<void>();
      const before = steps;
      await Promise.race([packDue(dying), death.promise]);
      expect([dies, await damaged(store.db, objects)]).toEqual([dies, []]);
      if (steps > dies) {
        isOver = false;
        if (before <= dies) await packDue(deps);
        break;
      }
    }
    for (const moment of [PACKED, CLEARED]) {
      deps.clock.at(moment);
      await packDue(deps);
    }
    expect([dies, await damaged(store.db, objects)]).toEqual([dies, []]);
    expect([dies, listPacks(store.db).length]).toEqual([dies, 2]);
    expect([dies, await Array.fromAsync(objects.listFiles("packs/"))]).toHaveProperty("1.length", 2);
    expect([dies, await Array.fromAsync(objects.list())]).toEqual([dies, []]);
    if (isOver) expect(steps).toBeGreaterThan(12);
    await tower.close();
  }
}, 120_000);

test.each(["a directory", "a bucket"] as const)(
  "killed at any moment, by the system, in %s",
  async (kind) => {
    using folder = temporaryFolder();
    const server = kind === "a bucket" ? await startS3(join(folder.path, "s3")) : undefined;
    const path = join(folder.path, "data");
    const environment = server?.environment ?? {};
    const opened = await openFolder(path, environment);
    for (let n = 0; n < 80; n++) {
      const asset = `site-${n % 20}.example`;
      await archiveAt(opened.deps, "2026-07-05T00:00:00Z", `{"n":${n}}`, { asset });
    }
    opened.close();
    let kills = 0;
    for (const [moment, unfinished] of [
      [PACKED, "SELECT 1 FROM archive_object WHERE id NOT IN (SELECT object FROM archive_place)"],
      // Of requests at once to remove two of one folder this server refuses one: the next run asks again.
      [CLEARED, "SELECT 1 FROM archive_pack WHERE loose = 1"],
    ] as const) {
      for (let wait = 2, isOver = false; !isOver; wait += 40) {
        const child = Bun.spawn(
          [
            process.execPath,
            join(import.meta.dir, "../support/packing.ts"),
            path,
            moment,
            JSON.stringify(environment),
          ],
          { stdout: "pipe", stderr: "inherit" },
        );
        await child.stdout.getReader().read();
        const timer = setTimeout(() => child.kill("SIGKILL"), wait);
        if ((await child.exited) !== 0) kills++;
        clearTimeout(timer);
        const { deps, close } = await openFolder(path, environment);
        expect([wait, await damaged(deps.store.db, deps.objects)]).toEqual([wait, []]);
        isOver = deps.store.raw.query(unfinished).all().length === 0;
        expect(wait).toBeLessThan(2_000);
        close();
      }
    }
    expect(kills).toBeGreaterThan(3);
    const { deps, close } = await openFolder(path, environment);
    expect(listPacks(deps.store.db)).toHaveLength(20);
    expect(await Array.fromAsync(deps.objects.list())).toEqual([]);
    for (const { sha256 } of objectsNamed(deps.store.db)) {
      if (server === undefined) {
        expect(existsSync(join(path, "raw-signals", pathOfObject(sha256)))).toBe(false);
      }
    }
    close();
    await server?.close();
  },
  120_000,
);
