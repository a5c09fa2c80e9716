import { expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemIds } from "../../src/base/base.ts";
import { backUp } from "../../src/keep/backup.ts";
import { restoreInto } from "../../src/keep/restore.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { archiveTexts } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededIds } from "../support/ids.ts";
import { mountNew, whyNot } from "../support/loop_mount.ts";

const reason = await whyNot("tmpfs");
const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
const MIB = 2 ** 20;

test.skipIf(reason !== undefined)(
  `a disk of another kind that fills up while objects are copied keeps the database's backup, names what lacks, and the next one makes both whole${suffix}`,
  async () => {
    using folder = temporaryFolder();
    await using disk = await mountNew("tmpfs", 16);
    const opened = await openFolder(join(folder.path, "data"));
    const ids = seededIds();
    // Of a page each: they take the disk to its last.
    const texts = Array.from({ length: 1_000 }, () => Buffer.from(ids.bytes(2_000)).toString("base64"));
    await archiveTexts(opened, texts);
    const { deps } = opened;
    const make = (name: string) =>
      backUp(deps, { source: deps.store.path, target: join(disk.path, name), archive: deps.config });
    const filler = join(disk.path, "filler");
    writeFileSync(filler, new Uint8Array(12 * MIB));
    const short = await make("one");
    expect(short).toMatchObject({ ok: true, objects: { named: 1_000 } });
    if (!short.ok) throw new Error(short.reason);
    expect(short.objects.lacking).toBeGreaterThan(0);
    expect(short.objects.lacking + short.objects.copied).toBe(1_000);
    // Whichever file it was that had no room: that of the object, or the one before it.
    expect(short.objects.faults.at(-1)).toMatch(/^\d+ objects: .*(?:it is full|the disk is full)$/);
    expect(readdirSync(disk.path).sort()).toEqual(["filler", "one", "tower-archive"]);

    rmSync(filler);
    expect(await make("two")).toMatchObject({
      objects: { lacking: 0, copied: short.objects.lacking },
    });
    opened.close();
    for (const name of ["one", "two"]) {
      const into = join(folder.path, name);
      const archive = openObjectStore({ rawSignals: join(into, "raw-signals"), s3: undefined });
      const options = { archive, despiteFaults: false, unverifiedOrigin: false, ownKeys: undefined };
      const file = join(disk.path, name);
      const proven = { ...options, givenKeys: deps.keys };
      const result = await restoreInto({ clock: systemClock, ids: systemIds }, into, file, proven);
      expect(result).toMatchObject({
        ok: true,
        objects: { restored: 1_000, lacking: 0 },
      });
    }
  },
);
