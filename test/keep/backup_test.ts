import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { InstallationKeys } from "../../src/base/keys.ts";
import { answersOf } from "../../src/base/worker.ts";
import { backUp, findLastBackup, noteBackup, sweepBackups, temporaryName } from "../../src/keep/backup.ts";
import { unseal } from "../../src/keep/seal.ts";
import type { SnapshotAnswer } from "../../src/keep/snapshot_worker.ts";
import { countAppendOnly } from "../../src/store/snapshot.ts";
import { openReadOnly } from "../../src/store/store.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { testGround } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantDay } from "../support/series.ts";

async function filledFolder(path: string) {
  const opened = await openFolder(join(path, "data"));
  for (const day of ["2026-03-01", "2026-03-02"]) {
    await acceptNow(opened, {
      asset: "harbor",
      generatedAt: `${day}T03:00:00Z`,
      metrics: { signups: { last24h: 3 } },
    });
  }
  await opened.deps.follower.settle();
  return opened;
}

const made = ({ deps }: Opened, target: string) =>
  backUp(deps, { source: deps.store.path, target, archive: deps.config });

describe("a backup while the service runs (decisions 4, reliability D6)", () => {
  test("is one whole database with every row, readable by its owner alone, and leaves nothing else behind", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { deps } = opened;
    const target = join(folder.path, "one.backup");
    const result = await made(opened, target);
    const held = countAppendOnly(deps.store);
    opened.close();
    expect(result).toMatchObject({ ok: true, rows: held, faults: [], bytes: statSync(target).size });
    expect(held["pulse"]).toBe(2);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).sort()).toEqual(["data", "one.backup"]);
    const copy = openReadOnly(target);
    expect(countAppendOnly(copy)).toEqual(held);
    copy.close();
  });

  test("does not hold the credentials key (reliability 4.4), and has no code of one that stands in for a lost key", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { deps } = opened;
    const target = join(folder.path, "one.backup");
    await made(opened, target);
    const lost = { ...deps, keys: new InstallationKeys(new Uint8Array(32), { isStandIn: true }) };
    await backUp(lost, { source: deps.store.path, target: `${target}-2`, archive: undefined });
    expect(unseal(`${target}-2`, join(folder.path, "out"))).toMatchObject({
      seal: expect.not.objectContaining({ key: expect.anything() }),
    });
    opened.close();
    const written = readFileSync(join(folder.path, "data", "credentials.key"), "utf8").trim();
    const backup = readFileSync(target);
    expect(backup.includes(written)).toBe(false);
    expect(backup.includes(Buffer.from(written, "base64"))).toBe(false);
  });

  test("overwrites nothing, takes no name beside which a journal lies, and is not begun for who is gone", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { deps } = opened;
    const there = join(folder.path, "there");
    writeFileSync(there, "kept");
    const companions = ["a-journal", "b-shm", "c-wal"];
    for (const name of companions) writeFileSync(join(folder.path, name), "of another file");
    mkdirSync(join(folder.path, "sub"));
    for (const name of ["there", "a", "b", "c", "sub", "missing/one"]) {
      const target = join(folder.path, name);
      const result = await made(opened, target);
      expect(result).toMatchObject({ ok: false });
    }
    const stopped = { target: join(folder.path, "stopped"), signal: AbortSignal.abort() };
    const result = await backUp(deps, { source: deps.store.path, archive: deps.config, ...stopped });
    expect(result).toMatchObject({ ok: false });
    opened.close();
    expect(readFileSync(there, "utf8")).toBe("kept");
    expect(readdirSync(folder.path).sort()).toEqual([...companions, "data", "sub", "there"]);
  });

  test("what a killed backup left is removed by the next one, whatever either is called, but not what may still be written", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { deps } = opened;
    const [old, underWay] = [temporaryName(deps.ids.uuid()), temporaryName(deps.ids.uuid())];
    for (const name of [old, `${old}-journal`, underWay, ".tmp-of-another-program"]) {
      writeFileSync(join(folder.path, name), "half");
      if (name !== underWay) utimesSync(join(folder.path, name), 1, 1);
    }
    await made(opened, join(folder.path, "one.backup"));
    opened.close();
    const left = [".tmp-of-another-program", underWay, "data", "one.backup"];
    expect(readdirSync(folder.path).sort()).toEqual(left.sort());
  });

  test("beside it, too, goes what a killed one left half written, and no object, however old", async () => {
    using folder = temporaryFolder();
    const beside = join(folder.path, "tower-archive");
    const [object, pack, half, underWay] = [
      "objects/ab/an-object.gz",
      "packs/harbor/a-pack",
      "objects/ab/.tmp-half",
      "packs/harbor/.tmp-under-way",
    ].map((name) => join(beside, name)) as [string, string, string, string];
    for (const path of [object, pack, half, underWay]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "bytes");
      if (path !== underWay) utimesSync(path, 1, 1);
    }
    await sweepBackups(folder.path, Date.now());
    expect([object, pack, half, underWay].map((path) => existsSync(path))).toEqual([true, true, false, true]);
  });

  test("what a killed backup or restore left in the data folder is removed at the start", async () => {
    using folder = temporaryFolder();
    const old = join(folder.path, temporaryName("01900000-0000-7000-8000-000000000000"));
    writeFileSync(old, "half");
    utimesSync(old, 1, 1);
    for (const name of [".tmp-tower.db", ".tmp-tower.db-wal"]) writeFileSync(join(folder.path, name), "half");
    (await openFolder(folder.path)).close();
    expect(readdirSync(folder.path).filter((name) => name.startsWith(".tmp-"))).toStrictEqual([]);
  });

  test("of a database that is damaged is refused, and leaves no file", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const source = opened.deps.store.path;
    opened.close();
    const bytes = readFileSync(source);
    bytes.fill(0x5a, 8_192, 16_384);
    chmodSync(source, 0o600);
    writeFileSync(source, bytes);
    const result = await made(opened, join(folder.path, "one.backup"));
    expect(result.ok).toBe(false);
    expect(readdirSync(folder.path)).toEqual(["data"]);
  });

  test("is whole and sealed before what it says is judged, and may have its name by then", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { store } = opened.deps;
    const [made, named, out] = ["made", "named", "out"].map((name) => join(folder.path, name));
    if (made === undefined || named === undefined || out === undefined) throw new Error("no names");
    const worker = new URL("../../src/keep/snapshot_worker.ts", import.meta.url);
    const steps = answersOf<SnapshotAnswer>(worker, {
      source: store.path,
      target: made,
      madeAt: "2026-03-02T00:00:00Z",
      keys: undefined,
      archive: undefined,
    });
    expect((await steps.next()).value).toEqual({
      step: "whole",
      bytes: statSync(made).size,
      rows: countAppendOnly(store),
      objects: expect.objectContaining({ named: 0, lacking: 0, leftOut: true }),
    });
    renameSync(made, named);
    expect(unseal(named, out).ok).toBe(true);
    expect((await steps.next()).value).toEqual({ step: "judged", faults: [] });
    await steps.return(undefined);
    opened.close();
  });

  test("of data that contradicts itself is made, and says so", async () => {
    using folder = temporaryFolder();
    const opened = await filledFolder(folder.path);
    const { deps } = opened;
    plantDay(deps.store, { asset: "harbor", metric: "signups", date: "2026-03-01" }, { last24h: 4 });
    const result = await made(opened, join(folder.path, "one.backup"));
    opened.close();
    expect(result).toMatchObject({
      ok: true,
      faults: [
        "readings against nightly reports: harbor, pulse: signups in the days from 2026-01-27 is not what its reports lead to: days",
      ],
    });
  });
});

test.each([undefined, 0, 3])(
  "of the last backup it is known how many objects it lacks, and that they were left out: %s",
  async (lacking) => {
    const { store, writer } = await testGround();
    expect(findLastBackup(store.db)).toBeUndefined();
    await writer.write((tx) => noteBackup(tx, { at: 7, lacking }));
    expect(findLastBackup(store.db)).toEqual({ at: 7, lacking });
  },
);
