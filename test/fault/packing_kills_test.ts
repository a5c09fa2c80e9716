/** Packing that is killed, before any of its steps or at any moment: nothing is lost, and the next run does the rest. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { listPacks } from "../../src/archive/objects.ts";
import { targetId } from "../../src/signals/attempts.ts";
import {
  appendObservation,
  listObservations,
  observationFaults,
  PACK_OBSERVATIONS,
} from "../../src/signals/observations.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import { FakeClock } from "../support/clock.ts";
import { openFolder } from "../support/data_folder.ts";
import { dyingAt, writerOf } from "../support/dying.ts";
import { temporaryFolder } from "../support/folder.ts";
import { killedAt, whyNoInjection } from "../support/killed_at.ts";
import { mountNew, settle, whyNot } from "../support/loop_mount.ts";
import { archiveAt, damagedIn, packDue, packDueInRuns } from "../support/packing.ts";
import { freshlySeeded } from "../support/random_counts.ts";
import { startS3 } from "../support/s3_server.ts";
import { testTower } from "../support/test_tower.ts";

const PACKED = "2026-10-01T12:00:00Z";
const CLEARED = "2026-10-09T12:00:00Z";
const SITES = ["harbor.example", "inn.example"];

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
    const dying = dyingAt(dies);
    const { door } = dying;
    const dead: typeof deps = {
      ...deps,
      writer: writerOf(dying, deps.writer),
      objects: Object.assign(Object.create(objects) as ObjectStore, {
        put: door((...given: Parameters<ObjectStore["put"]>) => objects.put(...given)),
        remove: door((...given: Parameters<ObjectStore["remove"]>) => objects.remove(...given)),
        listFiles: (...given: Parameters<ObjectStore["listFiles"]>) => objects.listFiles(...given),
        find: (...given: Parameters<ObjectStore["find"]>) => objects.find(...given),
        read: (...given: Parameters<ObjectStore["read"]>) => objects.read(...given),
        readFile: (...given: Parameters<ObjectStore["readFile"]>) => objects.readFile(...given),
      }),
    };
    for (const moment of [PACKED, CLEARED]) {
      deps.clock.at(moment);
      await Promise.race([packDue(dead), dying.death]);
      expect([dies, await damagedIn(store.db, objects)]).toEqual([dies, []]);
      if (dying.steps > dies) break;
    }
    isOver = dying.steps <= dies;
    for (const moment of [PACKED, CLEARED]) {
      deps.clock.at(moment);
      await packDue(deps);
    }
    expect([dies, await damagedIn(store.db, objects)]).toEqual([dies, []]);
    expect([dies, listPacks(store.db).length]).toEqual([dies, 2]);
    expect([dies, await Array.fromAsync(objects.listFiles("packs/"))]).toHaveProperty("1.length", 2);
    expect([dies, await Array.fromAsync(objects.list())]).toEqual([dies, []]);
    if (isOver) expect(dying.steps).toBeGreaterThan(12);
    await tower.close();
  }
});

const SCRIPT = join(import.meta.dir, "../support/packing.ts");
type Deps = Opened["deps"];
type Settings = Readonly<Record<string, string>>;

async function opened<T>(path: string, settings: Settings, act: (deps: Deps) => Promise<T>): Promise<T> {
  const { deps, close } = await openFolder(path, settings);
  try {
    return await act(deps);
  } finally {
    close();
  }
}

const fill = (path: string, settings: Settings) =>
  opened(path, settings, async (deps) => {
    for (let n = 0; n < 20; n++) {
      await archiveAt(deps, "2026-07-05T00:00:00Z", `{"n":${n}}`, { asset: `site-${n % 5}.example` });
    }
  });

/** At the how manieth of its writes a packing process is ended, each time it is begun anew. */
const ENDED_AT = [1, 3];

/** Packs in a process of its own, which is ended again and again, and goes through then. */
async function packKilled(
  path: string,
  settings: Settings,
  end: (child: Bun.Subprocess) => Promise<unknown>,
): Promise<void> {
  const random = freshlySeeded("ends of packing");
  for (const moment of [PACKED, CLEARED]) {
    for (const writes of ENDED_AT) {
      const more = Math.floor(random() * 40);
      const words = [path, moment, String(writes), String(more), JSON.stringify(settings)];
      const child = Bun.spawn([process.execPath, SCRIPT, ...words], { stdout: "pipe", stderr: "inherit" });
      await child.stdout.getReader().read();
      await end(child);
      expect([moment, writes, more, child.signalCode]).toEqual([moment, writes, more, "SIGKILL"]);
      const damaged = await opened(path, settings, ({ store, objects }) => damagedIn(store.db, objects));
      expect([moment, writes, more, damaged]).toEqual([moment, writes, more, []]);
    }
    await opened(path, settings, (deps) => packDueInRuns({ ...deps, clock: new FakeClock(moment) }));
  }
  await opened(path, settings, async ({ store, objects }) => {
    expect(await damagedIn(store.db, objects)).toStrictEqual([]);
    const placed = store.raw.query(
      "SELECT count(*), count(DISTINCT pack), count(DISTINCT object) FROM archive_place",
    );
    expect(placed.values()).toEqual([[20, 5, 20]]);
    expect(store.raw.query("SELECT DISTINCT loose FROM archive_pack").values()).toEqual([[0]]);
    expect(await Array.fromAsync(objects.list())).toStrictEqual([]);
  });
}

const killed = async (child: Bun.Subprocess) => {
  child.kill("SIGKILL");
  await child.exited;
};

const reason = await whyNot("ext4");

/** Where the power can be cut, that is the harder end of a directory. */
test.each(reason === undefined ? (["a bucket"] as const) : (["a directory", "a bucket"] as const))(
  "killed at any moment, by the system, in %s",
  async (kind) => {
    using folder = temporaryFolder();
    const server = kind === "a bucket" ? await startS3(join(folder.path, "s3")) : undefined;
    const path = join(folder.path, "data");
    const settings = server?.environment ?? {};
    await fill(path, settings);
    await packKilled(path, settings, killed);
    await server?.close();
  },
);

test.skipIf(reason !== undefined)(
  `the power cut at any moment${reason === undefined ? "" : ` (not run here: ${reason})`}`,
  async () => {
    await using mounted = await mountNew("ext4", 128);
    const path = join(mounted.path, "data");
    await fill(path, {});
    await settle(mounted.path);
    const end = async (child: Bun.Subprocess) => {
      mounted.cut();
      await killed(child);
      await mounted.remount();
    };
    await packKilled(path, {}, end);
  },
);

test.skipIf(whyNoInjection() !== undefined)(
  "of observations, killed before any of its syncs: each is there, once for a reader, and the next run does the rest",
  async () => {
    using folder = temporaryFolder();
    const of = { asset: "harbor", provider: "analytics" } as const;
    const opened = await openFolder(folder.path);
    const { deps } = opened;
    await deps.writer.write((tx) => {
      const target = targetId(tx, { ...of, connectionRevision: "c", property: "1", timeZone: "UTC" });
      for (let n = 1; n <= 2 * PACK_OBSERVATIONS + 6; n++) {
        const to = { state: "provisional", basis: "reported", value: n } as const;
        const figures = [{ day: 20_000 + Math.floor(n / 96), place: 0, to }];
        appendObservation(
          tx,
          { attempt: n, target, observedAt: n * 900_000 },
          { firstData: 20_000, figures },
        );
      }
    });
    const before = [...listObservations(deps.store.db, of)];
    opened.close();
    const path = join(folder.path, "tower.db-wal");
    let [kills, isOver] = [0, false];
    for (let nth = 1; !isOver; nth++) {
      const words = ["job", "run", "attempts"];
      const end = await killedAt({ call: "fsync", nth, path }, words, { DATA_DIR: folder.path });
      if (end === "killed") kills++;
      const { deps: after, close } = await openFolder(folder.path);
      expect([nth, observationFaults(after.store.db).next().value]).toEqual([nth, undefined]);
      expect([...listObservations(after.store.db, of)]).toEqual(before);
      isOver = end === "ended" && after.store.raw.query("SELECT id FROM observation").all().length === 6;
      close();
    }
    expect(kills).toBeGreaterThan(1);
  },
);
