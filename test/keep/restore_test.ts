import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { systemClock, systemIds } from "../../src/base/base.ts";
import type { InstallationKeys } from "../../src/base/keys.ts";
import { backUp } from "../../src/keep/backup.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { type RestoreOptions, restoreInto as restoreWith } from "../../src/keep/restore.ts";
import { listPulses } from "../../src/reports/pulse.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { takeDataLock } from "../../src/store/lock.ts";
import { craftBackup } from "../support/craft_backup.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const backup = join(folder.path, "good.backup");
let keys: InstallationKeys;

/** Restores with the key of the installation that made the backup, unless told otherwise. */
function restoreInto(dataDir: string, file: string, options: Partial<RestoreOptions> = {}) {
  const archive = openObjectStore({ rawSignals: join(dataDir, "raw-signals"), s3: undefined });
  const strict = {
    archive,
    despiteFaults: false,
    unverifiedOrigin: false,
    ownKeys: undefined,
    givenKeys: keys,
  };
  return restoreWith({ clock: systemClock, ids: systemIds }, dataDir, file, { ...strict, ...options });
}

beforeAll(async () => {
  const opened = await openFolder(join(folder.path, "data"));
  await acceptNow(opened, {
    asset: "harbor",
    generatedAt: "2026-03-01T03:00:00Z",
    metrics: { signups: { last24h: 3, avg7d: 2.5, total: 40 } },
  });
  await opened.deps.follower.settle();
  await backUp(opened.deps, { source: opened.deps.store.path, target: backup, archive: opened.deps.config });
  keys = opened.deps.keys;
  opened.close();
});

let count = 0;
const fresh = () => join(folder.path, `restored-${++count}`);

describe("restoring (decisions 4: refuses to overwrite and checks first)", () => {
  test("gives a folder in which nothing is wrong, with the constants document and the key that was given", async () => {
    const into = fresh();
    const result = await restoreInto(into, backup);
    expect(result).toMatchObject({ ok: true, constants: "restored", faults: [] });
    expect(readdirSync(into).sort()).toEqual(["constants.toml", "credentials.key", "lock.db", "tower.db"]);
    expect(statSync(join(into, "tower.db")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(into, "constants.toml"))).toEqual(
      readFileSync(join(folder.path, "data", "constants.toml")),
    );
    const opened = await openFolder(into);
    const faults = checkEverything(opened.deps.store).flatMap((finding) => finding.faults);
    const reports = listPulses(opened.deps.store.db, { asset: "harbor", allRevisions: true }, 9);
    opened.close();
    expect(faults).toStrictEqual([]);
    expect(reports).toHaveLength(1);
  });

  test("keeps a constants document that is there", async () => {
    const into = fresh();
    mkdirSync(into);
    writeFileSync(join(into, "constants.toml"), "# mine\n");
    expect(await restoreInto(into, backup)).toMatchObject({ ok: true, constants: "kept" });
    expect(readFileSync(join(into, "constants.toml"), "utf8")).toBe("# mine\n");
  });

  test("is refused where a database is, or what belongs to one", async () => {
    for (const name of ["tower.db", "tower.db-wal", "tower.db-shm", "tower.db-journal"]) {
      const into = fresh();
      mkdirSync(into);
      writeFileSync(join(into, name), "kept");
      expect(await restoreInto(into, backup)).toMatchObject({ ok: false });
      expect(readFileSync(join(into, name), "utf8")).toBe("kept");
      expect(existsSync(join(into, "constants.toml"))).toBe(false);
    }
  });

  test("into what is no folder is refused in words, with its path", async () => {
    const reason = `${backup}: a file is in its way`;
    expect(await restoreInto(backup, backup)).toMatchObject({ ok: false, reason });
    expect(await restoreInto(fresh(), folder.path)).toMatchObject({ ok: false });
  });

  test("is refused while a process uses the folder", async () => {
    const into = fresh();
    mkdirSync(into);
    const lock = takeDataLock(into);
    expect(await restoreInto(into, backup)).toMatchObject({ ok: false });
    lock?.release();
    expect(await restoreInto(into, backup)).toMatchObject({ ok: true });
  });

  test("of a file with any one bit changed, or cut anywhere, is refused and leaves no database", async () => {
    const good = readFileSync(backup);
    const into = fresh();
    const damaged = join(folder.path, "damaged.backup");
    const refuses = async (bytes: Uint8Array) => {
      writeFileSync(damaged, bytes);
      expect(await restoreInto(into, damaged, { despiteFaults: true })).toMatchObject({ ok: false });
      expect(readdirSync(into)).toStrictEqual([]);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(good.length - 1), fc.integer({ min: good.length - 300, max: good.length - 1 })),
        fc.nat(7),
        async (at, bit) => {
          const bytes = Buffer.from(good);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          await refuses(bytes);
        },
      ),
      { numRuns: 60 },
    );
    for (const length of [0, 1, 100, 4_096, good.length - 250, good.length - 1]) {
      await refuses(good.subarray(0, length));
    }
  });

  test("of a database of a newer version is refused in one line", async () => {
    const newer = join(folder.path, "newer.backup");
    const record = "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('unknown', 9999999999999)";
    craftBackup(backup, newer, (database) => database.run(record), keys);
    expect(await restoreInto(fresh(), newer)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /^the database of the backup cannot be read: it is of a newer Tower, [^\n]+$/,
      ),
      faults: [],
    });
  });

  test("of data that contradicts itself is refused unless it is asked for", async () => {
    const data = fresh();
    const opened = await openFolder(data);
    opened.deps.store.raw.run("INSERT INTO flag_snooze VALUES ('r', 'harbor', '', '', 5, 1, 'operator:ada')");
    const odd = join(folder.path, "odd.backup");
    await backUp(opened.deps, { source: opened.deps.store.path, target: odd, archive: opened.deps.config });
    const givenKeys = opened.deps.keys;
    opened.close();
    expect(await restoreInto(fresh(), odd, { givenKeys })).toMatchObject({
      ok: false,
      faults: [expect.stringContaining("snooze")],
    });
    expect(await restoreInto(fresh(), odd, { givenKeys, despiteFaults: true })).toMatchObject({
      ok: true,
      faults: [expect.stringContaining("snooze")],
    });
  });
});
