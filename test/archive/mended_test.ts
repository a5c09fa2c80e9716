/** An object that was damaged is stored anew when its report is fetched again, and the damage ends in the same transaction. */

import { expect, test } from "bun:test";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findObject, objectsNamed } from "../../src/archive/objects.ts";
import { isDamaged, listDamage, recordLooked } from "../../src/archive/verify_events.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { archivedTower } from "../support/archive_run.ts";

const DAY = 86_400_000;

test("a run packs what is due; what comes again stays in its pack, and lies by itself once it is not whole there", async () => {
  const archived = await archivedTower();
  try {
    const { store, objects } = archived.tower.deps;
    const ran = async (days: number) => {
      archived.clock.advance(days * DAY);
      archived.rows();
      await archived.run("analysis");
      return new Set(archived.rows().flatMap(({ object }) => object ?? []));
    };
    await ran(0);
    const old = [...objectsNamed(store.db)];
    await ran(75);
    await ran(7);
    const again = await ran(1);
    const packed = [...objectsNamed(store.db)].filter((one) => one.place !== undefined);
    expect(packed.map(({ sha256 }) => sha256)).toEqual(old.map(({ sha256 }) => sha256));
    for (const { sha256 } of packed) expect(await objects.find({ sha256 })).toBeUndefined();
    const came = packed.filter(({ sha256 }) => again.has(sha256));
    expect(came.length).toBeGreaterThan(0);

    for (const { place } of came) {
      const file = join(archived.folder, "raw-signals", place?.pack ?? "");
      chmodSync(file, 0o600);
      writeFileSync(file, "");
    }
    const last = await ran(1);
    const mended = came.filter(({ sha256 }) => last.has(sha256));
    expect(mended.length).toBeGreaterThan(0);
    for (const { sha256 } of mended) {
      const now = findObject(store.db, sha256);
      if (now === undefined) throw new Error("an object has no row");
      expect(now.place).toBeUndefined();
      expect(await verifyObject(objects, now)).toBeUndefined();
    }
  } finally {
    await archived.close();
  }
});

test("what a report teaches again mends its object; what nobody tells again stays damaged", async () => {
  const archived = await archivedTower();
  try {
    const { store, objects, writer } = archived.tower.deps;
    await archived.run("analysis");
    const names = [...new Set(archived.rows().flatMap(({ object }) => object ?? []))];
    for (const sha256 of names) rmSync(join(archived.folder, "raw-signals", pathOfObject(sha256)));
    const damaged = names.map((sha256) => ({ sha256, fault: "missing" as const }));
    await writer.write((tx) => recordLooked(tx, { damaged, whole: [] }, archived.clock.now()));
    expect(listDamage(store.db)).toHaveLength(names.length);

    archived.clock.advance(24 * 3_600_000);
    await archived.run("analysis");
    const again = new Set(archived.rows().flatMap(({ object }) => object ?? []));
    const told = names.filter((sha256) => again.has(sha256));
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(names.length);
    for (const sha256 of names) {
      const object = findObject(store.db, sha256);
      if (object === undefined) throw new Error("an object has no row");
      const isTold = again.has(sha256);
      expect(isDamaged(store.db, sha256)).toBe(!isTold);
      expect(await verifyObject(objects, object)).toBe(isTold ? undefined : "missing");
    }
  } finally {
    await archived.close();
  }
});
