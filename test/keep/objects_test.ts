/** A data folder and a folder for its backups. */

import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { backUp } from "../../src/keep/backup.ts";
import type { CopyProgress } from "../../src/keep/backup_objects.ts";
import { archiveTexts, objectIn, textsNumbered } from "../support/archive.ts";
import { sealOf } from "../support/craft_backup.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

async function folders(path: string) {
  const opened = await openFolder(join(path, "data"));
  const backups = join(path, "backups");
  mkdirSync(backups);
  return {
    opened,
    backups,
    archive: join(path, "data", "raw-signals"),
    beside: join(backups, "tower-archive"),
  };
}

/** What an open file is, where it lies in a folder. */
function targetOf(file: string, folder: string): string[] {
  try {
    const path = readlinkSync(file);
    return path.startsWith(folder) ? [path] : [];
  } catch {
    // Closed by now.
    return [];
  }
}

const make = ({ deps }: Opened, target: string, told: CopyProgress[] = []) =>
  backUp(deps, {
    source: deps.store.path,
    target,
    archive: deps.config,
    onProgress: (far) => told.push(far),
  });

describe("the objects of a backup (reliability D6)", () => {
  test("each that the manifest names lies beside it, byte for byte, for its owner alone", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive, beside } = await folders(folder.path);
    const objects = await archiveTexts(opened, textsNumbered(0, 5));
    const progress: CopyProgress[] = [];
    const result = await make(opened, join(backups, "one"), progress);
    opened.close();
    expect(progress[0]).toMatchObject({ of: 5 });
    const bytes = objects.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    const told = { named: 5, bytes, lacking: 0, faults: [], copied: 5, copiedBytes: bytes, leftOut: false };
    expect(result).toMatchObject({ ok: true, objects: told });
    for (const object of objects) {
      const copy = objectIn(beside, object);
      expect(readFileSync(copy)).toEqual(readFileSync(objectIn(archive, object)));
      expect(statSync(copy).mode & 0o277).toBe(0);
      for (const above of [join(copy, ".."), join(copy, "../.."), beside]) {
        expect(statSync(above).mode & 0o777).toBe(0o700);
      }
    }
    expect(readdirSync(backups).sort()).toEqual(["one", "tower-archive"]);
    expect(sealOf(join(backups, "one"))).toMatchObject({
      tower_backup: 3,
      objects: { named: 5, bytes, lacking: 0, left_out: false },
    });
  });

  test("a second backup copies only what is new", async () => {
    using folder = temporaryFolder();
    const { opened, backups, beside } = await folders(folder.path);
    const [first] = await archiveTexts(opened, textsNumbered(0, 4));
    await make(opened, join(backups, "one"));
    if (first === undefined) throw new Error("nothing is archived");
    const before = statSync(objectIn(beside, first));
    await archiveTexts(opened, textsNumbered(10, 2), 20_800);
    expect(await make(opened, join(backups, "two"))).toMatchObject({
      objects: { named: 6, copied: 2, lacking: 0 },
    });
    expect(await make(opened, join(backups, "three"))).toMatchObject({ objects: { named: 6, copied: 0 } });
    opened.close();
    const after = statSync(objectIn(beside, first));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test("where the archive is empty no folder is made", async () => {
    using folder = temporaryFolder();
    const { opened, backups } = await folders(folder.path);
    expect(await make(opened, join(backups, "one"))).toMatchObject({ ok: true, objects: { named: 0 } });
    opened.close();
    expect(readdirSync(backups)).toEqual(["one"]);
  });

  test("what is damaged or missing in the archive is named with its report, and the rest is backed up", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive, beside } = await folders(folder.path);
    const [flipped, missing, whole] = await archiveTexts(opened, textsNumbered(0, 3));
    if (flipped === undefined || missing === undefined || whole === undefined)
      throw new Error("not archived");
    const bytes = readFileSync(objectIn(archive, flipped));
    bytes[30] = (bytes[30] ?? 0) ^ 4;
    chmodSync(objectIn(archive, flipped), 0o600);
    writeFileSync(objectIn(archive, flipped), bytes);
    rmSync(objectIn(archive, missing));
    const result = await make(opened, join(backups, "one"));
    opened.close();
    expect(result).toMatchObject({ ok: true, objects: { named: 3, copied: 1, lacking: 2 } });
    expect(result.ok && [...result.objects.faults].sort()).toEqual(
      [
        `object ${flipped.sha256} (harbor.example, search-console page, 2026-09-04) cannot be read in ${archive}`,
        `object ${missing.sha256} (harbor.example, search-console page, 2026-09-05) is missing in ${archive}`,
      ].sort(),
    );
    expect(existsSync(objectIn(beside, flipped))).toBe(false);
    expect(sealOf(join(backups, "one")).objects).toMatchObject({ named: 3, lacking: 2, left_out: false });
  });

  test("what was damaged in the archive after it was backed up is no loss of the next backup", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive } = await folders(folder.path);
    const [object] = await archiveTexts(opened, textsNumbered(0, 1));
    await make(opened, join(backups, "one"));
    if (object !== undefined) rmSync(objectIn(archive, object));
    expect(await make(opened, join(backups, "two"))).toMatchObject({ objects: { lacking: 0, copied: 0 } });
    opened.close();
  });

  test("one that was cut short beside the backups is copied anew", async () => {
    using folder = temporaryFolder();
    const { opened, backups, beside } = await folders(folder.path);
    const [object] = await archiveTexts(opened, textsNumbered(0, 1));
    if (object === undefined) throw new Error("not archived");
    await make(opened, join(backups, "one"));
    const copy = objectIn(beside, object);
    chmodSync(copy, 0o600);
    writeFileSync(copy, readFileSync(copy).subarray(0, 20));
    expect(await make(opened, join(backups, "two"))).toMatchObject({ objects: { copied: 1, lacking: 0 } });
    opened.close();
    expect(readFileSync(copy).equals(object.gzip)).toBe(true);
  });

  test("an archive that is gone as a whole is told once, and the database is backed up", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive } = await folders(folder.path);
    await archiveTexts(opened, textsNumbered(0, 30));
    rmSync(archive, { recursive: true });
    const result = await make(opened, join(backups, "one"));
    opened.close();
    expect(result).toMatchObject({ ok: true, objects: { named: 30, lacking: 30, copied: 0 } });
    expect(result.ok && result.objects.faults.at(-1)).toContain(
      `the archive at ${archive}: there is no archive`,
    );
    expect(result.ok && result.objects.faults.length).toBeLessThan(12);
  });

  test("a backup that is removed gives its room back: nothing of this process keeps it open", async () => {
    using folder = temporaryFolder();
    const { opened, backups } = await folders(folder.path);
    await archiveTexts(opened, textsNumbered(0, 2));
    for (const name of ["one", "two", "three"]) {
      await make(opened, join(backups, name));
      rmSync(join(backups, name));
    }
    opened.close();
    const open = async () => {
      Bun.gc(true);
      return readdirSync("/proc/self/fd").flatMap((file) => targetOf(`/proc/self/fd/${file}`, backups));
    };
    expect((await until(open, ({ length }) => length === 0)).seen).toStrictEqual([]);
  });

  test("left out on purpose, the seal says so, and nothing is asked of the archive", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive } = await folders(folder.path);
    await archiveTexts(opened, textsNumbered(0, 2));
    rmSync(archive, { recursive: true });
    const { deps } = opened;
    const target = join(backups, "one");
    const result = await backUp(deps, { source: deps.store.path, target, archive: undefined });
    opened.close();
    expect(result).toMatchObject({ ok: true, objects: { named: 2, lacking: 0, leftOut: true } });
    expect(sealOf(target).objects).toMatchObject({ named: 2, left_out: true });
    expect(readdirSync(backups)).toEqual(["one"]);
  });

  test("is refused where the archive itself would be its copy", async () => {
    using folder = temporaryFolder();
    const { opened, backups, archive, beside } = await folders(folder.path);
    await archiveTexts(opened, textsNumbered(0, 1));
    symlinkSync(archive, beside);
    expect(await make(opened, join(backups, "one"))).toEqual({
      ok: false,
      reason: `${beside} is the archive itself, and a backup needs objects of its own: back up into another folder`,
    });
    opened.close();
    expect(readdirSync(backups)).toEqual(["tower-archive"]);
  });
});
