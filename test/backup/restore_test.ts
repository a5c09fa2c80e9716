import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { backUp, restoreInto } from "../../src/backup/mod.ts";
import { makeSnapshot } from "../../src/backup/snapshot.ts";
import { checkEverything } from "../../src/check/mod.ts";
import { migrateStore, openStore, takeDataLock } from "../../src/db/mod.ts";
import { listPulses } from "../../src/pulse/mod.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const backup = join(folder.path, "good.backup");
const CHECKED = { despiteFaults: false };

beforeAll(async () => {
  const opened = await openFolder(join(folder.path, "data"));
  await acceptNow(opened, {
    asset: "harbor",
    generatedAt: "2026-03-01T03:00:00Z",
    metrics: { signups: { last24h: 3, avg7d: 2.5, total: 40 } },
  });
  await opened.deps.follower.settle();
  await backUp(opened.deps, opened.deps.store.path, backup);
  opened.close();
});

let count = 0;
const fresh = () => join(folder.path, `restored-${++count}`);

describe("restoring (decisions 4: refuses to overwrite and checks first)", () => {
  test("gives a folder in which nothing is wrong, with the constants document, and without the key", async () => {
    const into = fresh();
    const result = await restoreInto(into, backup, CHECKED);
    expect(result).toMatchObject({ ok: true, constants: "restored", faults: [] });
    expect(readdirSync(into).sort()).toEqual(["constants.toml", "lock.db", "tower.db"]);
    expect(statSync(join(into, "tower.db")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(into, "constants.toml"))).toEqual(
      readFileSync(join(folder.path, "data", "constants.toml")),
    );
    const opened = await openFolder(into);
    const faults = checkEverything(opened.deps.store).flatMap((finding) => finding.faults);
    const reports = listPulses(opened.deps.store.db, { asset: "harbor", allRevisions: true }, 9);
    opened.close();
    expect(faults).toEqual([]);
    expect(reports).toHaveLength(1);
  });

  test("keeps a constants document that is there", async () => {
    const into = fresh();
    mkdirSync(into);
    writeFileSync(join(into, "constants.toml"), "# mine\n");
    expect(await restoreInto(into, backup, CHECKED)).toMatchObject({ ok: true, constants: "kept" });
    expect(readFileSync(join(into, "constants.toml"), "utf8")).toBe("# mine\n");
  });

  test("is refused where a database is, or what belongs to one", async () => {
    for (const name of ["tower.db", "tower.db-wal", "tower.db-journal"]) {
      const into = fresh();
      mkdirSync(into);
      writeFileSync(join(into, name), "kept");
      expect(await restoreInto(into, backup, CHECKED)).toMatchObject({ ok: false });
      expect(readFileSync(join(into, name), "utf8")).toBe("kept");
      expect(existsSync(join(into, "constants.toml"))).toBe(false);
    }
  });

  test("into what is no folder is refused with the system's reason", async () => {
    expect(await restoreInto(backup, backup, CHECKED)).toMatchObject({ ok: false });
    expect(await restoreInto(fresh(), folder.path, CHECKED)).toMatchObject({ ok: false });
  });

  test("is refused while a process uses the folder", async () => {
    const into = fresh();
    mkdirSync(into);
    const lock = takeDataLock(into);
    expect(await restoreInto(into, backup, CHECKED)).toMatchObject({ ok: false });
    lock?.release();
    expect(await restoreInto(into, backup, CHECKED)).toMatchObject({ ok: true });
  });

  test("of a file with any one bit changed, or cut anywhere, is refused and leaves no database", async () => {
    const good = readFileSync(backup);
    const into = fresh();
    const damaged = join(folder.path, "damaged.backup");
    const refuses = async (bytes: Uint8Array) => {
      writeFileSync(damaged, bytes);
      expect(await restoreInto(into, damaged, { despiteFaults: true })).toMatchObject({ ok: false });
      expect(readdirSync(into)).toEqual(["lock.db"]);
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

  test("of a database of another kind, or of a newer release, is refused by name", async () => {
    const madeAt = "2026-03-01T00:00:00Z";
    const source = join(folder.path, "newer.db");
    const store = openStore(source);
    migrateStore(store);
    store.raw.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('unknown', 9999999999999)");
    store.close();
    const newer = join(folder.path, "newer.backup");
    // The file itself is as this release makes it; only its list of migrations is longer.
    makeSnapshot({ source, target: newer, madeAt });
    expect(await restoreInto(fresh(), newer, CHECKED)).toMatchObject({
      ok: false,
      faults: [expect.stringContaining("newer Tower")],
    });
  });

  test("of data that contradicts itself is refused unless it is asked for", async () => {
    const data = fresh();
    const opened = await openFolder(data);
    opened.deps.store.raw.run("INSERT INTO flag_snooze VALUES ('r', 'harbor', '', '', 5, 1, 'operator:ada')");
    const odd = join(folder.path, "odd.backup");
    await backUp(opened.deps, opened.deps.store.path, odd);
    opened.close();
    expect(await restoreInto(fresh(), odd, CHECKED)).toMatchObject({
      ok: false,
      faults: [expect.stringContaining("snooze")],
    });
    expect(await restoreInto(fresh(), odd, { despiteFaults: true })).toMatchObject({
      ok: true,
      faults: [expect.stringContaining("snooze")],
    });
  });
});
