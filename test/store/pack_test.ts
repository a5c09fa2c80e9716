/** The form of a pack, over any objects and any damage: what is in it is found without a database, and damage is that of whom it hits. */

import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sha256Hex } from "../../src/base/keys.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { faultThrown, type StoredObject } from "../../src/store/objects.ts";
import {
  LABEL_BYTES,
  namedInPack,
  type Pack,
  packAsObject,
  pathOfPack,
  verifyPack,
  writePack,
} from "../../src/store/pack.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { bucketStore, directoryStore, type MadeObject, objectHolding } from "../support/objects.ts";
import { freshlySeeded, type Random } from "../support/random_counts.ts";

const OF = "search-console/harbor.example/2026-09";

describe.each([
  ["a directory", directoryStore],
  ["a bucket", bucketStore],
] as const)("a pack in %s", (kind, open) => {
  const folder = fresh(temporaryFolder);
  const at = fresh(() => open(folder.path));

  /** Packs what lies in the store. */
  async function packed(objects: readonly MadeObject[]) {
    const into = join(folder.path, "pack");
    const made = await writePack(at.store, objects, into);
    if (made === undefined) throw new Error("nothing was packed");
    const pack: Pack = { path: pathOfPack(OF, made.sha256), bytes: made.bytes };
    expect(await at.store.put(packAsObject(pack), into)).toBe("stored");
    expect(await at.store.put(packAsObject(pack), into)).toBe("there");
    rmSync(into);
    const placed = made.placed.map(({ object, start }) => ({
      ...object,
      place: { pack: pack.path, start },
    }));
    return { pack, placed, file: at.fileOf(pack.path) };
  }

  const faultsIn = async (pack: Pack, placed: Parameters<typeof verifyPack>[2]) =>
    new Map((await verifyPack(at.store, pack, placed)).map(({ object, fault }) => [object.sha256, fault]));

  test("is one plain gzip file of lines that name objects, and of the objects; each is read by itself", async () => {
    const random = freshlySeeded(`objects packed in ${kind}`);
    for (let round = 0; round < 12; round++) {
      const objects = anyObjects(random);
      for (const object of objects) await at.put(object);
      const { pack, placed, file } = await packed(objects);
      const bytes = readFileSync(file);
      expect(pack.path).toBe(`packs/${OF}-${sha256Hex(bytes)}.json.gz`);
      const text = objects
        .map(({ sha256, storedBytes, content }) => {
          const named = JSON.stringify({ tower_object: sha256, stored_bytes: storedBytes });
          return `\n${named.padEnd(118)}\n${content.toString("latin1")}`;
        })
        .join("");
      expect(gunzipSync(bytes).toString("latin1")).toBe(text);
      expect(await Array.fromAsync(namedInPack(at.store, pack.path))).toEqual(
        placed.map(({ sha256, storedBytes, place }) => ({ sha256, storedBytes, place })),
      );
      for (const object of placed) {
        const { start } = object.place;
        expect(bytes.subarray(start, start + object.storedBytes).equals(object.gzip)).toBe(true);
        expect(await verifyObject(at.store, object)).toBeUndefined();
      }
      expect([...(await faultsIn(pack, placed)).values()]).toEqual(placed.map(() => undefined));
      expect(await Array.fromAsync(at.store.listFiles("packs/"))).toContain(pack.path);
    }
  });

  test("a flipped bit, a lost end, bytes more: what is found is the damage of the objects that it hits, and of no other", async () => {
    const random = freshlySeeded(`damage of packs in ${kind}`);
    const objects = anyObjects(random, 9);
    for (const object of objects) await at.put(object);
    const { pack, placed, file } = await packed(objects);
    const whole = readFileSync(file);
    const damaged = async (bytes: Buffer) => {
      chmodSync(file, 0o600);
      writeFileSync(file, bytes);
      return [...(await faultsIn(pack, placed))].flatMap(([sha256, fault]) => (fault ? [sha256] : []));
    };
    const names = (hit: (from: number, to: number) => boolean) =>
      placed
        .filter(({ place, storedBytes }) => hit(place.start - LABEL_BYTES, place.start + storedBytes))
        .map(({ sha256 }) => sha256);
    for (let round = 0; round < 100; round++) {
      const place = Math.floor(random() * whole.length);
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << Math.floor(random() * 8)), place);
      expect([place, await damaged(bytes)]).toEqual([
        place,
        names((from, to) => from <= place && place < to),
      ]);
      const cut = await damaged(whole.subarray(0, place));
      expect([place, cut]).toEqual([place, names((_, to) => to > place)]);
      expect(await verifyObject(at.store, placed.at(-1) as StoredObject)).toBe("length");
    }
    expect(await damaged(Buffer.concat([whole, Buffer.from("x")]))).toEqual([placed.at(-1)?.sha256 ?? ""]);
    rmSync(file);
    expect([...(await faultsIn(pack, placed)).values()]).toEqual(placed.map(() => "missing"));
    const read = Array.fromAsync(namedInPack(at.store, pack.path));
    expect(await read.catch(faultThrown)).toBe("missing");
  });

  test("what is damaged or missing is not packed, and what is packed no more is not looked for", async () => {
    const objects = anyObjects(freshlySeeded(`objects left out in ${kind}`), 6);
    for (const object of objects) await at.put(object);
    const [first, , third, , , last] = objects as [MadeObject, ...MadeObject[]];
    rmSync(at.fileOf(first.sha256));
    for (const { sha256, gzip } of [third, last] as MadeObject[]) {
      chmodSync(at.fileOf(sha256), 0o600);
      writeFileSync(at.fileOf(sha256), gzip.subarray(0, gzip.length - 3));
    }
    const { pack, placed } = await packed(objects);
    const left = placed.map(({ sha256 }) => sha256);
    expect(left).toEqual([1, 3, 4].map((place) => objects[place]?.sha256 ?? ""));
    const some = placed.filter((_, place) => place !== 1);
    expect([...(await faultsIn(pack, some)).values()]).toEqual([undefined, undefined]);
    expect(await writePack(at.store, [first], join(folder.path, "none"))).toBeUndefined();
  });
});

/** Objects of all lengths, some of which no compression makes smaller, and some that are many of the pieces that are read. */
function anyObjects(random: Random, count = 1 + Math.floor(random() * 12)): MadeObject[] {
  return Array.from({ length: count }, (_, number) => {
    const length = Math.floor(10 ** (random() * (number === 3 ? 6.3 : 4)));
    const isNoise = random() < 0.5;
    const bytes = Uint8Array.from({ length }, (_, place) => (isNoise ? random() * 256 : place % 7));
    return objectHolding(Buffer.concat([Buffer.from(`${number} ${random()}`), bytes]));
  });
}

test("a name that is none of a pack is refused", () => {
  const as = (path: string): StoredObject => packAsObject({ path, bytes: 1 });
  for (const path of ["packs/x/y/2026-09.json.gz", "packs/x", ""]) expect(() => as(path)).toThrow(RangeError);
});
