/** Backups of an archive that is packed, and what is restored of them. */

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findObject, listPacks } from "../../src/archive/objects.ts";
import { verifyArchive } from "../../src/archive/verify_events.ts";
import { systemClock, systemIds } from "../../src/base/base.ts";
import { backUp } from "../../src/keep/backup.ts";
import { type RestoreOptions, restoreInto } from "../../src/keep/restore.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { run } from "../app/run.ts";
import { FakeClock } from "../support/clock.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import type { MadeObject } from "../support/objects.ts";
import { archiveAt, packDue } from "../support/packing.ts";
import { startS3 } from "../support/s3_server.ts";

const folder = fresh(temporaryFolder);
const opened = fresh(() => openFolder(join(folder.path, "data")));
let objects: MadeObject[];
const backups = () => join(folder.path, "backups");
const archive = () => join(folder.path, "data", "raw-signals");
const beside = () => join(backups(), "tower-archive");

beforeEach(async () => {
  mkdirSync(backups());
  objects = [];
  for (let n = 0; n < 6; n++) {
    const asset = n % 2 === 0 ? "harbor.example" : "inn.example";
    objects.push(await archiveAt(opened.deps, `2026-07-0${n + 1}T10:00:00Z`, `{"n":${n}}`, { asset }));
  }
  objects.push(await archiveAt(opened.deps, "2026-09-30T10:00:00Z", "{}"));
});

/** Packs, and removes what is packed. */
async function packAll(): Promise<void> {
  for (const moment of ["2026-10-01T00:00:00Z", "2026-10-08T00:00:00Z"]) {
    await packDue({ ...opened.deps, clock: new FakeClock(moment) });
  }
}
const make = (name: string, withObjects = true) => {
  const { deps } = opened;
  const target = join(backups(), name);
  return backUp(deps, { source: deps.store.path, target, archive: withObjects ? deps.config : undefined });
};
const storeAt = (path: string) => openObjectStore({ rawSignals: path, s3: undefined });
let count = 0;
const freshFolder = () => join(folder.path, `fresh-${++count}`);
const restored = (into: string, name: string, options: Partial<RestoreOptions> = {}) =>
  restoreInto({ clock: systemClock, ids: systemIds }, into, join(backups(), name), {
    archive: storeAt(join(into, "raw-signals")),
    despiteFaults: false,
    unverifiedOrigin: false,
    ownKeys: undefined,
    givenKeys: opened.deps.keys,
    ...options,
  });
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

/** What a restored folder says of its objects. */
async function soundness(path: string) {
  const data = await openFolder(path);
  const store = storeAt(join(path, "raw-signals"));
  const { damaged, wrong } = await verifyArchive(data.deps.store.db, store);
  const packed = objects.map(({ sha256 }) => findObject(data.deps.store.db, sha256)?.place !== undefined);
  data.close();
  return { damaged, wrong: wrong.map(({ object }) => object), packed: packed.filter(Boolean).length };
}

/** Flips a bit of an object in its pack. */
function flip(inFolder: string, { sha256 }: MadeObject): void {
  const place = findObject(opened.deps.store.db, sha256)?.place;
  const path = join(inFolder, place?.pack ?? "");
  const bytes = readFileSync(path);
  const at = (place?.start ?? 0) + 12;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  chmodSync(path, 0o600);
  writeFileSync(path, bytes);
}

describe("a backup of packs", () => {
  test("has each pack beside it once, and is restored and tried as it was", async () => {
    await packAll();
    expect(await make("one")).toMatchObject({ ok: true, objects: { named: 7, copied: 7, lacking: 0 } });
    expect(filesIn(beside())).toBe(3);
    expect(await make("two")).toMatchObject({ ok: true, objects: { named: 7, copied: 0, lacking: 0 } });
    const into = freshFolder();
    expect(await restored(into, "one")).toMatchObject({ ok: true, objects: { restored: 7, lacking: 0 } });
    expect(await soundness(into)).toEqual({ damaged: 0, wrong: [], packed: 6 });
    expect(filesIn(join(into, "raw-signals"))).toBe(3);
    const proven = await restored(freshFolder(), "one", { onlyProves: true });
    expect(proven).toMatchObject({ ok: true, objects: { named: 7, restored: 0, lacking: 0 } });
    expect((await run(opened, "check")).exitCode).toBe(0);
  });

  test("names what is damaged in a pack of the archive, and has all else of it", async () => {
    await packAll();
    const [hit] = objects as [MadeObject];
    flip(archive(), hit);
    const result = await make("one");
    expect(result).toMatchObject({ ok: true, objects: { copied: 6, lacking: 1 } });
    expect(result.ok && result.objects.faults.join()).toContain(`object ${hit.sha256} (harbor.example`);
    const into = freshFolder();
    const refused = await restored(into, "one");
    expect(!refused.ok && refused.faults).toEqual([expect.stringContaining(hit.sha256)]);
    expect(await restored(into, "one", { despiteFaults: true })).toMatchObject({ ok: true });
    expect(await soundness(into)).toMatchObject({ damaged: 1, wrong: [hit.sha256] });
    // The archive itself has the rest of that pack still.
    const proven = await restored(freshFolder(), "one", { onlyProves: true, despiteFaults: true });
    expect(proven).toMatchObject({ ok: true, objects: { lacking: 1 } });
  });

  test("a pack that is damaged beside it is restored but for what is damaged; what the archive holds whole is not touched", async () => {
    await packAll();
    await make("one");
    const [hit] = objects as [MadeObject];
    flip(beside(), hit);
    const into = freshFolder();
    const result = await restored(into, "one", { despiteFaults: true });
    expect(result).toMatchObject({ ok: true, objects: { restored: 6, lacking: 1 } });
    expect(await soundness(into)).toEqual({ damaged: 1, wrong: [hit.sha256], packed: 4 });

    const held = freshFolder();
    cpSync(archive(), join(held, "raw-signals"), { recursive: true });
    expect(await restored(held, "one")).toMatchObject({ ok: true, objects: { restored: 0, lacking: 0 } });
    const hurt = freshFolder();
    cpSync(archive(), join(hurt, "raw-signals"), { recursive: true });
    const other = objects[1] as MadeObject;
    flip(join(hurt, "raw-signals"), other);
    expect(await restored(hurt, "one")).toMatchObject({ ok: true, objects: { restored: 3, lacking: 0 } });
    expect(await soundness(hurt)).toEqual({ damaged: 0, wrong: [], packed: 6 });
  });

  test("of before anything was packed takes nothing from beside it that the packs of today have", async () => {
    await make("one");
    await packAll();
    const into = freshFolder();
    cpSync(archive(), join(into, "raw-signals"), { recursive: true });
    expect(await restored(into, "one")).toMatchObject({ ok: true, objects: { restored: 0, lacking: 0 } });
    expect(await soundness(into)).toEqual({ damaged: 0, wrong: [], packed: 6 });
  });

  test("of before anything was packed finds its objects in the packs of today, without a copy of its own", async () => {
    await make("apart", false);
    await packAll();
    const into = freshFolder();
    cpSync(archive(), join(into, "raw-signals"), { recursive: true });
    expect(await restored(into, "apart")).toMatchObject({ ok: true, objects: { named: 7, lacking: 0 } });
    expect(await soundness(into)).toEqual({ damaged: 0, wrong: [], packed: 6 });
    const proven = { archive: storeAt(archive()), onlyProves: true };
    expect(await restored(freshFolder(), "apart", proven)).toMatchObject({
      ok: true,
      objects: { lacking: 0, leftOut: true },
    });
    // What the pack no longer holds whole, and lies nowhere else, lacks by name.
    const [hit] = objects as [MadeObject];
    flip(archive(), hit);
    const hurt = await restored(freshFolder(), "apart", { archive: storeAt(archive()) });
    expect(!hurt.ok && hurt.faults).toEqual([expect.stringContaining(hit.sha256)]);
  });

  test("fills a bucket", async () => {
    await packAll();
    await make("one");
    const server = await startS3(join(folder.path, "s3"));
    const bucket = openObjectStore({ rawSignals: "s3://bucket/raw", s3: server.settings });
    const into = freshFolder();
    expect(await restored(into, "one", { archive: bucket })).toMatchObject({
      ok: true,
      objects: { restored: 7, lacking: 0 },
    });
    for (const { sha256 } of objects) {
      const object = findObject(opened.deps.store.db, sha256);
      expect(object && (await verifyObject(bucket, object))).toBeUndefined();
    }
    await server.close();
  });

  test("made while objects lie in both places copies the packs, and what is not packed", async () => {
    await packDue({ ...opened.deps, clock: new FakeClock("2026-10-01T00:00:00Z") });
    expect(listPacks(opened.deps.store.db)).toHaveLength(2);
    await make("one");
    expect(filesIn(beside())).toBe(3);
    const into = freshFolder();
    await restored(into, "one");
    expect(await soundness(into)).toEqual({ damaged: 0, wrong: [], packed: 6 });
  });
});
