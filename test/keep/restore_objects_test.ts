import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { systemClock, systemIds } from "../../src/base/base.ts";
import type { InstallationKeys } from "../../src/base/keys.ts";
import { backUp } from "../../src/keep/backup.ts";
import { type RestoreOptions, restoreInto as restoreWith } from "../../src/keep/restore.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { archiveTexts, objectIn, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { MadeObject } from "../support/objects.ts";
import { startS3 } from "../support/s3_server.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const backups = join(folder.path, "backups");
const backup = join(backups, "one");
let keys: InstallationKeys;
let objects: MadeObject[];

beforeAll(async () => {
  mkdirSync(backups);
  const opened = await openFolder(join(folder.path, "data"));
  const { deps } = opened;
  keys = deps.keys;
  objects = await archiveTexts(opened, textsNumbered(0, 12));
  deps.store.raw.run("INSERT INTO archive_copy VALUES (1, 1, x'00')");
  const from = { source: deps.store.path, archive: deps.config };
  await backUp(deps, { ...from, target: backup });
  await backUp(deps, { ...from, target: join(backups, "apart"), archive: undefined });
  opened.close();
});

let count = 0;
const fresh = () => join(folder.path, `fresh-${++count}`);
const storeAt = (path: string) => openObjectStore({ rawSignals: path, s3: undefined });
const archiveOf = (dataDir: string) => join(dataDir, "raw-signals");

function restoreInto(dataDir: string, file: string, options: Partial<RestoreOptions> = {}) {
  const archive = storeAt(archiveOf(dataDir));
  const strict = { archive, despiteFaults: false, unverifiedOrigin: false, ownKeys: undefined };
  const deps = { clock: systemClock, ids: systemIds };
  return restoreWith(deps, dataDir, file, { ...strict, givenKeys: keys, ...options });
}

/** The backups as they are, copied, with `change` done to the copy. */
function changedBackups(change: (beside: string) => void): string {
  const into = fresh();
  cpSync(backups, into, { recursive: true });
  change(join(into, "tower-archive"));
  return join(into, "one");
}

function object(place: number): MadeObject {
  const found = objects[place];
  if (found === undefined) throw new Error(`there is no object ${place}`);
  return found;
}

function rewrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  chmodSync(path, 0o600);
  writeFileSync(path, bytes);
}

const DAMAGE = {
  "a flipped bit": [
    "cannot be read",
    (path: string) => rewrite(path, (bytes) => bytes.writeUInt8(bytes.readUInt8(400) ^ 1, 400)),
  ],
  "nothing there": ["is missing", (path: string) => rmSync(path)],
} as const;

describe("restoring what a manifest names (reliability D6)", () => {
  test("puts every object into the archive, where each hashes right", async () => {
    const into = fresh();
    const result = await restoreInto(into, backup);
    expect(result).toMatchObject({ ok: true, faults: [], objects: { named: 12, restored: 12, lacking: 0 } });
    for (const one of objects) {
      expect(await verifyObject(storeAt(archiveOf(into)), one)).toBeUndefined();
      expect(statSync(objectIn(archiveOf(into), one)).mode & 0o277).toBe(0);
    }
    expect(readdirSync(into).filter((name) => name.startsWith("."))).toStrictEqual([]);
    // Its runs are told beside the objects anew: this archive holds none of their files.
    const opened = await openFolder(into);
    expect(opened.deps.store.raw.query("SELECT run FROM archive_copy").all()).toStrictEqual([]);
    opened.close();
  });

  for (const [name, [words, damage]] of Object.entries(DAMAGE)) {
    test(`an object beside it with ${name} is named and refuses it, unless it is wanted all the same`, async () => {
      const [damaged, held] = [object(3), object(7)];
      const file = changedBackups((beside) => damage(objectIn(beside, damaged)));
      const into = fresh();
      expect(await restoreInto(into, file)).toEqual({
        ok: false,
        reason: "of 12 objects that its manifest names, 1 is not there whole",
        faults: [
          `object ${damaged.sha256} (harbor.example, search-console page, 2026-09-07) ${words} in ${join(file, "..", "tower-archive")}`,
        ],
      });
      expect(existsSync(join(into, "tower.db"))).toBe(false);

      const done = await restoreInto(into, file, { despiteFaults: true });
      expect(done).toMatchObject({ ok: true, objects: { lacking: 1 } });
      expect(done.ok && done.faults.join()).toContain(damaged.sha256);
      expect(existsSync(objectIn(archiveOf(into), damaged))).toBe(false);
      expect(existsSync(objectIn(archiveOf(into), held))).toBe(true);
    });
  }

  test("what the archive holds whole is not touched, what is damaged there is put anew", async () => {
    const into = fresh();
    const archive = archiveOf(into);
    cpSync(join(folder.path, "data", "raw-signals"), archive, { recursive: true });
    const [kept, damaged] = [object(0), object(1)];
    rewrite(objectIn(archive, damaged), (bytes) => bytes.reverse());
    const before = statSync(objectIn(archive, kept));
    const file = changedBackups((beside) => rmSync(objectIn(beside, kept)));
    expect(await restoreInto(into, file)).toMatchObject({ ok: true, objects: { restored: 1, lacking: 0 } });
    const after = statSync(objectIn(archive, kept));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(await verifyObject(storeAt(archive), damaged)).toBeUndefined();
  });

  test("without the folder beside it, it says once what is missing and where it was looked for", async () => {
    const file = changedBackups((beside) => rmSync(beside, { recursive: true }));
    const result = await restoreInto(fresh(), file);
    expect(result).toMatchObject({ ok: false });
    expect(!result.ok && result.faults).toEqual([
      `12 objects: the archive at ${join(file, "..", "tower-archive")}: there is no archive: is it mounted, and the right place?`,
    ]);
  });

  test("made without objects, it is refused without the archive and goes through beside it", async () => {
    const apart = join(backups, "apart");
    const refused = await restoreInto(fresh(), apart);
    expect(refused).toMatchObject({
      ok: false,
      reason:
        "of 12 objects that its manifest names, 12 are not there whole; the backup was made without them, so that only the archive itself has them",
    });
    const archive = storeAt(join(folder.path, "data", "raw-signals"));
    expect(await restoreInto(fresh(), apart, { archive })).toMatchObject({
      ok: true,
      objects: { named: 12, restored: 0, lacking: 0, leftOut: true },
    });
  });

  test("a backup that is made while the archive is written to holds each object that its own moment names", async () => {
    const data = fresh();
    const opened = await openFolder(data);
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        await archiveTexts(opened, [`report ${written} beside a backup`], 20_700 + written);
        written++;
      }
    })();
    const into = fresh();
    mkdirSync(into);
    const { deps } = opened;
    const request = { source: deps.store.path, archive: deps.config };
    for (let round = 0; round < 2; round++) {
      const before = written;
      await until(
        async () => written,
        (now) => now > before,
      );
      const least = written;
      const result = await backUp(deps, { ...request, target: join(into, `${round}`) });
      expect(result).toMatchObject({ ok: true, objects: { lacking: 0 } });
      expect(result.ok && result.objects.named).toBeGreaterThanOrEqual(least);
    }
    isOver = true;
    await writing;
    opened.close();
    for (let round = 0; round < 2; round++) {
      const restored = await restoreInto(fresh(), join(into, `${round}`), { givenKeys: deps.keys });
      expect(restored).toMatchObject({ ok: true, faults: [], objects: { lacking: 0 } });
      if (restored.ok) expect(restored.rows["archive_report"]).toBe(restored.objects.named);
    }
  });

  test("a bucket is filled from beside the backup, and a backup from a bucket", async () => {
    const server = await startS3(join(folder.path, "s3"));
    let close: () => Promise<void> = server.close;
    try {
      const where = { rawSignals: "s3://bucket/raw", s3: server.settings };
      const archive = openObjectStore(where);
      const into = fresh();
      expect(await restoreInto(into, backup, { archive })).toMatchObject({
        ok: true,
        objects: { restored: 12, lacking: 0 },
      });
      for (const one of objects) expect(await verifyObject(archive, one)).toBeUndefined();
      const copies = fresh();
      mkdirSync(copies);
      const lost = object(4);
      await archive.remove(lost.sha256);
      const opened = await openFolder(into, server.environment);
      const { deps } = opened;
      const request = { source: deps.store.path, archive: deps.config };
      const result = await backUp(deps, { ...request, target: join(copies, "one") });
      opened.close();
      expect(result).toMatchObject({ ok: true, objects: { named: 12, copied: 11, lacking: 1 } });
      expect(result.ok && result.objects.faults[0]).toContain(`object ${lost.sha256}`);
      expect(await verifyObject(storeAt(join(copies, "tower-archive")), object(6))).toBeUndefined();
      await close();
      close = async () => undefined;
      const cut = await restoreInto(fresh(), backup, { archive });
      expect(cut).toMatchObject({ ok: false, reason: expect.stringContaining("cannot be reached") });
    } finally {
      await close();
    }
  });
});
