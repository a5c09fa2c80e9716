/** What every store of objects does, whatever it stands on: one suite over a directory and over a bucket. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { unpacked, verifyObject } from "../../src/store/object_check.ts";
import { type ObjectFault, ObjectMissing, readObject, StoreFault } from "../../src/store/objects.ts";
import { isFresh } from "../../src/store/packs.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { bucketStore, directoryStore, type MadeObject, objectHolding, spooled } from "../support/objects.ts";
import { freshlySeeded, seeded } from "../support/random_counts.ts";
import { texts } from "../support/words.ts";

const collected = <T>(all: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(all);
const whole = async (pieces: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await collected(pieces)).toString("latin1");
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "nothing",
    (error) => error,
  );

const PAGE = objectHolding('{"rows":[{"keys":["/"],"clicks":12}]}\n'.repeat(40));
const OTHER = objectHolding('{"rows":[]}');

/** Bytes that no compression makes smaller. */
function noise(length: number): Buffer {
  const random = seeded(7);
  return Buffer.from(Uint8Array.from({ length }, () => Math.floor(random() * 256)));
}

describe.each([
  ["a directory", directoryStore],
  ["a bucket", bucketStore],
] as const)("objects in %s", (_, open) => {
  const folder = fresh(temporaryFolder);
  const at = fresh(() => open(folder.path));

  test("what was put is found, read, listed and verified as it was, and not written again unless that is asked for", async () => {
    expect(await at.put(PAGE)).toBe("stored");
    expect(await whole(readObject(at.store, PAGE))).toBe(PAGE.gzip.toString("latin1"));
    expect(await whole(unpacked(readObject(at.store, PAGE)))).toBe(PAGE.content.toString("latin1"));
    expect(await at.store.find(PAGE)).toMatchObject({ sha256: PAGE.sha256, storedBytes: PAGE.storedBytes });
    expect(await collected(at.store.list())).toMatchObject([
      { sha256: PAGE.sha256, storedBytes: PAGE.storedBytes },
    ]);
    expect(await verifyObject(at.store, PAGE)).toBeUndefined();
    expect(await at.put(PAGE)).toBe("there");
    expect(await at.put(PAGE, { anew: true })).toBe("stored");
    expect(await verifyObject(at.store, PAGE)).toBeUndefined();
  });

  test("what lies under its name and is not it does not pass for it: it is written over", async () => {
    await at.put(PAGE);
    for (const damaged of [PAGE.gzip.subarray(0, 20), flipped(PAGE.gzip, 30)]) {
      writeOver(at.fileOf(PAGE.sha256), damaged);
      expect(await at.put(PAGE)).toBe("stored");
      expect(await verifyObject(at.store, PAGE)).toBeUndefined();
    }
  });

  test("what changed on its way is not stored", async () => {
    for (const bytes of [flipped(PAGE.gzip, 50), PAGE.gzip.subarray(1), Buffer.alloc(0)]) {
      const file = spooled(folder.path, { ...PAGE, gzip: bytes });
      const why = "what was to be stored changed on its way";
      expect(await thrown(at.store.put(PAGE, file))).toMatchObject({
        name: "StoreFault",
        kind: "failed",
        why,
      });
    }
    expect(await at.store.find(PAGE)).toBeUndefined();
    expect(await collected(at.store.list())).toStrictEqual([]);
    expect(await collected(at.store.halfWritten())).toStrictEqual([]);
  });

  test("an object that is not there is undefined, and missing where it is read; removing it does nothing", async () => {
    await at.put(PAGE);
    expect(await at.store.find(OTHER)).toBeUndefined();
    expect(await thrown(whole(readObject(at.store, OTHER)))).toBeInstanceOf(ObjectMissing);
    expect(await thrown(whole(unpacked(readObject(at.store, OTHER))))).toBeInstanceOf(ObjectMissing);
    expect(await verifyObject(at.store, OTHER)).toBe("missing");
    await at.store.remove(OTHER.sha256);
    await at.store.remove(PAGE.sha256);
    expect(await at.store.find(PAGE)).toBeUndefined();
    expect(await collected(at.store.list())).toStrictEqual([]);
  });

  test("a store that cannot be used is told as itself, never as a missing object", async () => {
    await at.put(PAGE);
    await at.takeAway();
    const faults = [
      await thrown(whole(readObject(at.store, PAGE))),
      await thrown(verifyObject(at.store, PAGE)),
      ...(at.store.kind === "s3"
        ? [
            await thrown(at.store.find(PAGE)),
            await thrown(at.put(OTHER)),
            await thrown(collected(at.store.list())),
            await thrown(at.store.remove(PAGE.sha256)),
            await thrown(at.store.putFile("manifest/a.gz", Buffer.from("x"))),
          ]
        : []),
    ];
    const [kind, why] =
      at.store.kind === "s3"
        ? ["unreachable", "it cannot be reached, or does not answer in time"]
        : ["absent", "there is no archive: is it mounted, and the right place?"];
    for (const fault of faults) {
      expect(fault).toBeInstanceOf(StoreFault);
      expect(fault).toMatchObject({ kind, message: `the archive at ${at.store.where}: ${why}` });
    }
    await at.putBack();
    expect(await verifyObject(at.store, PAGE)).toBeUndefined();
  });

  test("many objects are listed, each once, and nothing else", async () => {
    const all = Array.from({ length: 23 }, (_, number) => objectHolding(`report ${number}`));
    for (const object of all) await at.put(object);
    await at.store.putFile("manifest/2026-11-22/run.ndjson.gz", PAGE.gzip);
    const names = (await collected(at.store.list())).map(({ sha256 }) => sha256);
    expect(names.sort()).toEqual(all.map(({ sha256 }) => sha256).sort());
  });

  test("a large object goes in and comes out in pieces", async () => {
    const large = objectHolding(noise(18 * 1024 * 1024));
    expect(await at.put(large)).toBe("stored");
    expect((await at.store.find(large))?.storedBytes).toBe(large.storedBytes);
    let longest = 0;
    for await (const piece of readObject(at.store, large)) longest = Math.max(longest, piece.length);
    expect(longest).toBeLessThan(2 * 1024 * 1024);
    expect(await verifyObject(at.store, large)).toBeUndefined();
  });

  test("an object is read one byte further than it was stored, and not for somebody who has left", async () => {
    await at.put(PAGE);
    writeOver(at.fileOf(PAGE.sha256), Buffer.concat([PAGE.gzip, noise(3_000_000)]));
    const read = Buffer.concat(await collected(readObject(at.store, PAGE)));
    expect(read.length).toBe(PAGE.storedBytes + 1);
    expect(await verifyObject(at.store, PAGE)).toBe("length");
    expect(await thrown(collected(readObject(at.store, PAGE, AbortSignal.abort())))).toBeInstanceOf(
      StoreFault,
    );
    const stuck = {
      where: "a disk",
      read: async function* () {
        yield await new Promise<never>(() => undefined);
      },
    };
    const left = new AbortController();
    const reading = thrown(collected(readObject(stuck, PAGE, left.signal)));
    left.abort();
    expect(await reading).toBeInstanceOf(StoreFault);
  });

  test("files lie beside the objects, under their own names, and may be written again", async () => {
    const names = ["manifest/2026-11-21/run-1.ndjson.gz", "manifest/2026-11-22/run-2.ndjson.gz"];
    for (const name of [...names, ...names]) await at.store.putFile(name, PAGE.gzip);
    expect((await collected(at.store.listFiles("manifest/"))).sort()).toEqual(names);
    expect(await collected(at.store.listFiles("manifest/2026-11-22/"))).toEqual(names.slice(1));
    expect(await collected(at.store.list())).toStrictEqual([]);
  });

  test("no name leads anywhere else", async () => {
    for (const name of [
      "../../etc/passwd",
      "x".repeat(64),
      PAGE.sha256.toUpperCase(),
      "",
      `${PAGE.sha256}/..`,
    ]) {
      expect(await thrown(at.store.find({ sha256: name }))).toBeInstanceOf(RangeError);
      expect(await thrown(at.store.remove(name))).toBeInstanceOf(RangeError);
      expect(await thrown(whole(readObject(at.store, { sha256: name, storedBytes: 9 })))).toBeInstanceOf(
        RangeError,
      );
    }
    for (const name of texts("manifest/../objects/a|objects/x|/manifest/x|manifest/|manifest/.tmp-x|")) {
      expect(await thrown(at.store.putFile(name, PAGE.gzip))).toBeInstanceOf(RangeError);
    }
  });

  test("200 of 200 planted damages are found, and each is called by its name", async () => {
    const random = freshlySeeded("damages of objects");
    const many = Array.from({ length: 200 }, (_, number) => objectHolding(`{"report":${number}}`.repeat(9)));
    const found: (readonly [string, ObjectFault | undefined])[] = [];
    for (const [place, object] of many.entries()) {
      await at.put(object);
      const [name, damage] = DAMAGES[place % DAMAGES.length] as (typeof DAMAGES)[number];
      const file = at.fileOf(object.sha256);
      const damaged = damage(readFileSync(file), random, (many[(place + 1) % 200] as MadeObject).gzip);
      if (damaged === undefined) rmSync(file);
      else writeOver(file, damaged);
      found.push([name, await verifyObject(at.store, object)]);
    }
    const names = (of: string) => [
      ...new Set(found.filter(([name]) => name === of).map(([, fault]) => fault)),
    ];
    expect(found.filter(([, fault]) => fault === undefined)).toStrictEqual([]);
    expect(names("gone")).toEqual(["missing"]);
    expect(names("cut short")).toEqual(["length"]);
    expect(names("a field of its head")).toEqual(["stored_digest"]);
    expect(names("zeroed")).toEqual(["unreadable"]);
  });
});

test("a file that was cut off is half written, and none of the files that are listed", async () => {
  using folder = temporaryFolder();
  const at = await directoryStore(folder.path);
  await at.store.putFile("manifest/2026-11-21/run.gz", PAGE.gzip);
  writeFileSync(`${at.store.where}/manifest/2026-11-21/.tmp-run.gz`, "");
  expect(await collected(at.store.listFiles("manifest/"))).toEqual(["manifest/2026-11-21/run.gz"]);
  expect(await collected(at.store.halfWritten())).toEqual(["manifest/2026-11-21/.tmp-run.gz"]);
});

test("what lies in the place of an object and is no file is unreadable at once, and written over", async () => {
  using folder = temporaryFolder();
  const at = await directoryStore(folder.path);
  await at.put(PAGE);
  const path = at.fileOf(PAGE.sha256);
  const plants = [
    () => Bun.spawnSync(["mkfifo", path]),
    () => symlinkSync("/dev/zero", path),
    () => Bun.listen({ unix: path, socket: { data: () => undefined } }),
    () => mkdirSync(path),
  ];
  for (const [place, plant] of plants.entries()) {
    rmSync(path);
    plant();
    expect([place, await verifyObject(at.store, PAGE)]).toEqual([place, "unreadable"]);
    if (place === 3) continue;
    expect([place, await at.put(PAGE)]).toEqual([place, "stored"]);
    expect(await verifyObject(at.store, PAGE)).toBeUndefined();
  }
});

type Damage = (gzip: Buffer, random: () => number, other: Buffer) => Buffer | undefined;

const DAMAGES: readonly (readonly [name: string, damage: Damage])[] = [
  ["a bit", (gzip, random) => flipped(gzip, Math.floor(random() * gzip.length), Math.floor(random() * 8))],
  // The time and the kind of machine: what unpacks it looks at neither.
  ["a field of its head", (gzip, random) => flipped(gzip, [4, 5, 6, 7, 9][Math.floor(random() * 5)] ?? 4, 3)],
  ["cut short", (gzip, random) => gzip.subarray(0, Math.floor(random() * gzip.length))],
  ["zeroed", (gzip) => Buffer.alloc(gzip.length)],
  ["swapped", (_, __, other) => other],
  ["gone", () => undefined],
];

function flipped(bytes: Buffer, at: number, bit = 0): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
}

/** Writes behind the store's back. */
function writeOver(file: string, bytes: Uint8Array): void {
  rmSync(file);
  writeFileSync(file, bytes);
}

test.each([
  [0, true],
  [86_399_999, true],
  [86_400_000, false],
  [-1, false],
])("what came %d ms ago is left alone: %s", (ago, is) => {
  const now = 1_795_000_000_000;
  expect(isFresh(now - ago, now)).toBe(is);
});
