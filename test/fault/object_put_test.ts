/** Storing an object, killed, refused and starved at every step of it: whatever is told to be safe is, and nothing is half under its name. */

import { describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { randomToken } from "../../src/base/base.ts";
import { DirectoryStore } from "../../src/store/directory_store.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { pathOfObject, type StoreFault } from "../../src/store/objects.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededIds } from "../support/ids.ts";
import { whyNoInjection } from "../support/killed_at.ts";
import { mountNew, whyNot } from "../support/loop_mount.ts";
import { objectHolding, spooled } from "../support/objects.ts";
import { seeded } from "../support/random_counts.ts";
import { bareEnvironment } from "../support/service.ts";

const CHILD = join(import.meta.dir, "..", "support", "putting_object.ts");
const CONTENT = '{"rows":[]}';
const OBJECT = objectHolding(CONTENT);
const NAME = pathOfObject(OBJECT.sha256);
const SPOOLED = `spooled-${OBJECT.sha256.slice(0, 12)}`;
const TEMPORARY = `${dirname(NAME)}/.tmp-${OBJECT.sha256}-${randomToken(seededIds(), 9)}`;

/** Every step of a first put that a disk may lose or refuse: the call, and the path below the archive's folder that it is on. */
const STEPS = [
  ["mkdir", ""],
  ["mkdir", "objects"],
  ["mkdir", dirname(NAME)],
  ["fsync", ".."],
  ["fsync", ""],
  ["fsync", "objects"],
  ["fsync", TEMPORARY],
  ["rename", TEMPORARY],
  ["fsync", dirname(NAME)],
] as const;

const noInjection = whyNoInjection();

/** Puts the object in a process of its own, watched by strace. Gives what it said, '' where it was killed, and what was seen. */
async function putUnder(archive: string, how: readonly string[], given = "") {
  const seen = join(dirname(archive), "seen");
  const child = Bun.spawn(
    ["strace", "-f", "-qq", "-y", "-o", seen, ...how, process.execPath, CHILD, archive, CONTENT, given],
    { env: bareEnvironment(), stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  );
  const said = await new Response(child.stdout).text();
  await child.exited;
  return { said, seen: await Bun.file(seen).text() };
}

/** Puts the object with something done to one call on one path. */
async function putWith(archive: string, [call, path]: (typeof STEPS)[number], what: string): Promise<string> {
  const inject = ["-P", join(archive, path), "-e", `trace=${call}`, "-e", `inject=${call}:${what}`];
  return (await putUnder(archive, inject)).said;
}

/** What is under the object's name: nothing, or all of it. And putting it once more makes it whole, and leaves nothing beside. */
async function judge(archive: string, said: string): Promise<void> {
  const store = new DirectoryStore(archive, seededIds());
  const found = await store.find(OBJECT);
  if (said === "stored") expect(found).toBeDefined();
  if (found !== undefined) expect(await verifyObject(store, OBJECT)).toBeUndefined();
  using spool = temporaryFolder();
  await store.sweep();
  expect(await store.put(OBJECT, spooled(spool.path, OBJECT))).toBe(found === undefined ? "stored" : "there");
  expect(await verifyObject(store, OBJECT)).toBeUndefined();
  expect(await Array.fromAsync(store.halfWritten())).toStrictEqual([]);
}

describe.skipIf(noInjection !== undefined)(`a put at each of its steps${noInjection ?? ""}`, () => {
  // A backup, which gives its files, waits for names once a folder.
  test.each([
    ["", [`fsync ${TEMPORARY}`, `rename ${TEMPORARY}`, `fsync ${dirname(NAME)}`]],
    ["given", [`fsync ../${SPOOLED}`, `rename ../${SPOOLED}`]],
  ])(
    "the object is on the disk before it has its name, and the name before anybody is told %s",
    async (given, last) => {
      using folder = temporaryFolder();
      const archive = join(folder.path, "raw");
      const { said, seen } = await putUnder(archive, ["-e", "trace=mkdir,fsync,rename"], given);
      expect(said).toBe("stored");
      const steps = seen
        .split("\n")
        .filter((line) => line.includes(folder.path))
        .filter((line) => line.endsWith(" = 0"))
        .map((line) => /(\w+)\((?:\d+<)?"?([^">,]+)/.exec(line))
        .map((found) => `${found?.[1]} ${relative(archive, found?.[2] ?? "")}`);
      const names = (call: string) =>
        STEPS.filter(([name]) => name === call).map(([, path]) => `${call} ${path}`);
      expect(steps.slice(0, 3)).toEqual(names("mkdir"));
      expect(steps.slice(3, 6).sort()).toEqual(["fsync ", "fsync ..", "fsync objects"]);
      expect(steps.slice(6)).toEqual(last);
    },
  );

  test("an object that is there is said to be once the disk has its name: whoever put it may have been killed before that", async () => {
    using folder = temporaryFolder();
    const archive = join(folder.path, "raw");
    await new DirectoryStore(archive, seededIds()).put(OBJECT, spooled(folder.path, OBJECT));
    const { said, seen } = await putUnder(archive, ["-e", "trace=fsync"]);
    expect(said).toBe("there");
    expect(seen).toContain(`${join(archive, dirname(NAME))}>) = 0`);
  });

  test.each(STEPS)("killed before %s of %s", async (call, path) => {
    using folder = temporaryFolder();
    const archive = join(folder.path, "raw");
    const said = await putWith(archive, [call, path] as (typeof STEPS)[number], "signal=SIGKILL");
    expect(said).toBe("");
    await judge(archive, said);
  });

  const ERRORS = {
    fsync: ["EIO", "failed"],
    rename: ["ENOSPC", "full"],
    mkdir: ["EROFS", "refused"],
  } as const;

  test.each(STEPS)("%s of %s refused is a fault, and no safe object", async (call, path) => {
    const [error, kind] = ERRORS[call];
    using folder = temporaryFolder();
    const archive = join(folder.path, "raw");
    const said = await putWith(archive, [call, path] as (typeof STEPS)[number], `error=${error}`);
    expect(said).toBe(`fault ${kind}`);
    await judge(archive, said);
  });
});

const noMount = await whyNot("tmpfs");
test.skipIf(noMount !== undefined)(
  `a full disk takes no object, and takes it when there is room${noMount ?? ""}`,
  async () => {
    await using mounted = await mountNew("tmpfs", 4);
    using folder = temporaryFolder();
    const random = seeded(5);
    const object = objectHolding(Buffer.from(Uint8Array.from({ length: 3_000_000 }, () => random() * 256)));
    const file = spooled(folder.path, object);
    const store = new DirectoryStore(join(mounted.path, "raw"), seededIds());
    const filler = join(mounted.path, "filler");
    await Bun.write(filler, new Uint8Array(2_000_000));
    const fault = await store.put(object, file).then(
      () => undefined,
      (error: StoreFault) => error,
    );
    expect(fault).toMatchObject({ name: "StoreFault", kind: "full" });
    expect(await store.find(object)).toBeUndefined();
    expect(await Array.fromAsync(store.halfWritten())).toStrictEqual([]);
    await Bun.file(filler).delete();
    expect(await store.put(object, file)).toBe("stored");
    expect(await verifyObject(store, object)).toBeUndefined();
  },
);

test.skipIf(noMount !== undefined)(
  `a file that is given from another disk is copied${noMount ?? ""}`,
  async () => {
    await using mounted = await mountNew("tmpfs", 4);
    using folder = temporaryFolder();
    const store = new DirectoryStore(join(mounted.path, "raw"), seededIds());
    expect(await store.put(OBJECT, spooled(folder.path, OBJECT), { given: true })).toBe("stored");
    expect(await verifyObject(store, OBJECT)).toBeUndefined();
  },
);

test("what is stored is for this user alone, on whatever file system the archive lies", async () => {
  using folder = temporaryFolder();
  const archive = join(folder.path, "deep", "raw");
  const store = new DirectoryStore(archive, seededIds());
  await store.put(OBJECT, spooled(folder.path, OBJECT));
  await store.putFile("manifest/2026-11-22/run.ndjson.gz", OBJECT.gzip);
  const modes = readdirSync(archive, { recursive: true, encoding: "utf8" }).map(
    (path) => statSync(join(archive, path)).mode & 0o077,
  );
  expect(modes.length).toBe(6);
  expect(new Set(modes)).toEqual(new Set([0]));
  expect(statSync(archive).mode & 0o777).toBe(0o700);
});
