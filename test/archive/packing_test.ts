/** Objects of months gone by lie in packs: they are read, verified and served as before, and damage is named as before. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordReport } from "../../src/archive/manifest.ts";
import { findObject, listPacks } from "../../src/archive/objects.ts";
import { scrub } from "../../src/archive/scrub.ts";
import { listDamage, verifyArchive } from "../../src/archive/verify_events.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { reportOf } from "../support/archive.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { MadeObject } from "../support/objects.ts";
import { archiveAt, packDue } from "../support/packing.ts";
import { type S3Server, startS3 } from "../support/s3_server.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(["a directory", "a bucket"] as const)("an archive in %s", (kind) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: S3Server | undefined;
  let tower: TestTower;
  /** Of July and August, of two sites and two providers, and of the last days. */
  let old: MadeObject[];
  let young: MadeObject[];
  beforeEach(async () => {
    folder = temporaryFolder();
    server = kind === "a bucket" ? await startS3(join(folder.path, "s3")) : undefined;
    const raw = { RAW_SIGNALS: join(folder.path, "raw") };
    const settings = { DATA_DIR: folder.path, ...PROXY, ...(server?.environment ?? raw) };
    tower = await testTower({ settings });
    old = [];
    for (const [place, day] of ["07-03", "07-31", "08-01", "08-20", "08-31"].entries()) {
      for (const asset of ["harbor.example", "inn.example"]) {
        for (const provider of ["search-console", "analytics"] as const) {
          const text = `{"rows":[{"of":"${asset} ${provider} ${place}"}]}`;
          old.push(await archiveAt(tower.deps, `2026-${day}T10:00:00Z`, text, { asset, provider }));
        }
      }
    }
    young = [await archiveAt(tower.deps, "2026-09-01T00:00:00Z", "{}")];
    tower.deps.clock.at("2026-10-01T12:00:00Z");
  });
  afterEach(async () => {
    await tower.close();
    await server?.close();
    folder[Symbol.dispose]();
  });

  const fileAt = (path: string) => server?.fileOf(`raw/${path}`) ?? join(folder.path, "raw", path);
  const fileOf = ({ sha256 }: MadeObject) => fileAt(pathOfObject(sha256));
  const isLoose = (object: MadeObject) => existsSync(fileOf(object));
  const db = () => tower.deps.store.db;
  const packs = () => listPacks(db()).map(({ path }) => path);
  const placeOf = ({ sha256 }: MadeObject) => findObject(db(), sha256)?.place;
  /** Packs, and a week later once more. */
  const packAll = async () => {
    await packDue(tower.deps);
    tower.deps.clock.advance(7 * DAY);
    await packDue(tower.deps);
  };
  const flip = (object: MadeObject) => {
    const { pack, start } = placeOf(object) ?? { pack: "", start: 0 };
    const bytes = readFileSync(fileAt(pack));
    bytes.writeUInt8(bytes.readUInt8(start + 15) ^ 1, start + 15);
    chmodSync(fileAt(pack), 0o600);
    writeFileSync(fileAt(pack), bytes);
  };
  const served = async ({ sha256 }: MadeObject) => {
    const answer = await tower.ask(`/api/archive/objects/${sha256}`);
    return `${answer.status} ${await answer.text()}`;
  };

  test("a month that ended 30 days ago goes into one pack for each site and provider; what is younger stays", async () => {
    tower.deps.clock.at("2026-09-29T23:59:59Z");
    await packDue(tower.deps);
    const monthsOf = () => [...new Set(packs().map((path) => path.split("/").at(-1)?.slice(0, 7)))].sort();
    expect(monthsOf()).toEqual(["2026-07"]);
    tower.deps.clock.at("2026-10-01T00:00:00Z");
    await packDue(tower.deps);
    expect(monthsOf()).toEqual(["2026-07", "2026-08"]);
    expect(
      packs()
        .map((path) => path.slice(0, -("-.json.gz".length + 64)))
        .sort(),
    ).toEqual(
      ["analytics", "search-console"].flatMap((provider) =>
        ["harbor.example", "inn.example"].flatMap((asset) =>
          ["2026-07", "2026-08"].map((month) => `packs/${provider}/${asset}/${month}`),
        ),
      ),
    );
    expect(young.map(placeOf)).toEqual([undefined]);
    // A run that finds nothing due changes nothing.
    const before = packs();
    await packDue(tower.deps);
    expect(packs()).toEqual(before);
  });

  test("for a week objects lie in both places, then in packs alone; they verify and are served as before", async () => {
    const before = await verifyArchive(db(), tower.deps.objects);
    await packDue(tower.deps);
    expect(old.every(isLoose)).toBe(true);
    tower.deps.clock.advance(7 * DAY - 1);
    await packDue(tower.deps);
    expect(old.every(isLoose)).toBe(true);
    tower.deps.clock.advance(1);
    await packDue(tower.deps);
    expect(old.some(isLoose)).toBe(false);
    expect(young.every(isLoose)).toBe(true);
    expect(await verifyArchive(db(), tower.deps.objects)).toEqual(before);
    for (const object of [...old, ...young]) {
      expect(await served(object)).toBe(`200 ${object.content}`);
    }
  });

  test("a flipped bit in a pack damages one object, which is named and not served; its scrub comes within a week", async () => {
    await packAll();
    const [hit] = old as [MadeObject];
    flip(hit);
    const { damaged, wrong, objects } = await verifyArchive(db(), tower.deps.objects);
    expect({ damaged, objects }).toEqual({ damaged: 1, objects: 21 });
    expect(wrong[0]).toMatchObject({ object: hit.sha256, reports: [{ asset: "harbor.example" }] });
    for (let hour = 0; hour < 168; hour++) {
      await scrub(tower.deps, () => undefined);
      tower.deps.clock.advance(HOUR);
    }
    expect(listDamage(db())).toMatchObject([{ sha256: hit.sha256 }]);
    expect(await served(hit)).toContain("object-damaged");
    for (const object of old.slice(1)) expect(await served(object)).toBe(`200 ${object.content}`);
  });

  test("an object goes by itself only where its pack holds it whole: else it stays, and is read there", async () => {
    await packDue(tower.deps);
    // Two of one pack.
    const [hit, , , , other] = old as [MadeObject, MadeObject, MadeObject, MadeObject, MadeObject];
    flip(hit);
    tower.deps.clock.advance(7 * DAY);
    await packDue(tower.deps);
    expect([isLoose(hit), isLoose(other)]).toEqual([true, false]);
    expect((await verifyArchive(db(), tower.deps.objects)).damaged).toBe(0);
    expect(await served(hit)).toBe(`200 ${hit.content}`);
    // A pack that is gone takes nothing with it that lies by itself.
    rmSync(fileAt(placeOf(other)?.pack ?? ""));
    expect((await verifyArchive(db(), tower.deps.objects)).damaged).toBe(1);
  });

  test("a database that was put back as it was before finds its objects in the packs", async () => {
    await packAll();
    const { writer, store } = tower.deps;
    await writer.write((tx) => {
      for (const table of ["archive_place", "archive_pack"]) tx.run(`DELETE FROM ${table}`);
    });
    expect((await verifyArchive(store.db, tower.deps.objects)).damaged).toBe(20);
    await packDue(tower.deps);
    expect((await verifyArchive(store.db, tower.deps.objects)).damaged).toBe(0);
    expect(packs()).toHaveLength(8);
  });

  test("the same bytes, read otherwise by a later release, lie where they lay", async () => {
    await packAll();
    const [same] = old as [MadeObject];
    const row = findObject(db(), same.sha256);
    const object = { ...same, content: young[0]?.sha256 ?? "", rows: 7 };
    await tower.deps.writer.write((tx) => void recordReport(tx, reportOf({ object })));
    const now = findObject(db(), same.sha256);
    expect([now?.id === row?.id, now?.rows, now?.place]).toEqual([false, 7, row?.place]);
    const { damaged, objects } = await verifyArchive(db(), tower.deps.objects);
    expect({ damaged, objects }).toEqual({ damaged: 0, objects: 21 });
  });

  test("what is damaged before it is packed stays where it lies, and is named", async () => {
    const [hit, ...others] = old as [MadeObject];
    chmodSync(fileOf(hit), 0o600);
    writeFileSync(fileOf(hit), hit.gzip.subarray(5));
    await packAll();
    expect(placeOf(hit)).toBeUndefined();
    expect(others.some(isLoose)).toBe(false);
    const { damaged, wrong } = await verifyArchive(db(), tower.deps.objects);
    expect([damaged, wrong[0]?.object]).toEqual([1, hit.sha256]);
  });

  if (kind === "a directory") {
    test("packs are for this user alone, and nothing half-written is left beside them", async () => {
      await packAll();
      for (const path of packs()) expect(statSync(fileAt(path)).mode & 0o277).toBe(0);
      expect(readdirSync(join(folder.path, "archive-spool"))).toStrictEqual([]);
      expect(await Array.fromAsync(tower.deps.objects.halfWritten())).toStrictEqual([]);
      // Where all that is stored is packed, the archive is no less there.
      rmSync(join(folder.path, "raw", "objects"), { recursive: true });
      expect(await tower.deps.objects.isAbsent()).toBe(false);
    });
  }
});
