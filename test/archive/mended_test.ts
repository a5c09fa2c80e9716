/** An object that was damaged is stored anew when its report is fetched again, and the damage ends in the same transaction. */

import { expect, test } from "bun:test";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findObject, objectsNamed } from "../../src/archive/objects.ts";
import { isDamaged, listDamage, recordLooked } from "../../src/archive/verify_events.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { archivedTower } from "../support/archive_run.ts";
import { packDue } from "../support/packing.ts";

const DAY = 86_400_000;

test("what comes again and is packed stays in its pack; where it is not whole there it lies by itself from then on", async () => {
  const archived = await archivedTower();
  try {
    const { deps } = archived.tower;
    const { store, objects } = deps;
    await archived.run("analysis");
    archived.clock.advance(75 * DAY);
    await packDue(deps);
    archived.clock.advance(7 * DAY);
    await packDue(deps);
    expect(await Array.fromAsync(objects.list())).toEqual([]);
    archived.rows();
    await archived.run("analysis");
    const again = new Set(archived.rows().flatMap(({ object }) => object ?? []));
    const packed = [...objectsNamed(store.db)].filter(
      (one) => one.place !== undefined && again.has(one.sha256),
    );
    expect(packed.length).toBeGreaterThan(0);
    for (const one of packed) expect(await objects.find({ sha256: one.sha256 })).toBeUndefined();

    for (const { place } of packed) {
      const file = join(archived.folder, "raw-signals", place?.pack ?? "");
      chmodSync(file, 0o600);
      writeFileSync(file, "");
    }
    archived.clock.advance(DAY);
    await archived.run("analysis");
    const last = new Set(archived.rows().flatMap(({ object }) => object ?? []));
    const mended = packed.filter(({ sha256 }) => last.has(sha256));
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
