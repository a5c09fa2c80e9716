import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { systemClock, systemIds } from "../../src/base/base.ts";
import { backUp } from "../../src/keep/backup.ts";
import { restoreInto } from "../../src/keep/restore.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import { archiveTexts, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { killedAt, type Step, whyNoInjection } from "../support/killed_at.ts";
import type { MadeObject } from "../support/objects.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const data = join(folder.path, "data");
const key = join(data, "credentials.key");
const good = join(folder.path, "good");
let opened: Opened;
let objects: MadeObject[];

beforeAll(async () => {
  opened = await openFolder(data);
  objects = await archiveTexts(opened, textsNumbered(0, 3));
  mkdirSync(good);
  await make(join(good, "one"));
  opened.close();
});

/** The steps that matter; `CRASH_KILLS=300` takes the first of every call and every thread. */
const ALL = Number(Bun.env["CRASH_KILLS"] ?? 8) >= 300;
const CALLS = ["mkdir", "fsync", "rename", "link", "unlink"] as const;
const EVERY: readonly Step[] = CALLS.flatMap((call) =>
  Array.from({ length: 14 }, (_, n) => ({ call, nth: n + 1 })),
);

function make(target: string) {
  return backUp(opened.deps, { source: opened.deps.store.path, target, archive: opened.deps.config });
}

const storeAt = (path: string) => openObjectStore({ rawSignals: path, s3: undefined });

/** Objects that are there under their names and are not whole. */
async function halves(path: string): Promise<string[]> {
  const store = storeAt(path);
  const found = await Promise.all(objects.map(async (object) => [object, await store.find(object)] as const));
  const there = found.flatMap(([object, listed]) => (listed === undefined ? [] : [object]));
  const faults = await Promise.all(there.map((object) => verifyObject(store, object)));
  return faults.filter((fault) => fault !== undefined);
}

let folders = 0;

/** A backup as an object's folder is made, as it is moved to its name, as their names are waited for, as it gets its own. */
const backupSteps = (backups: string): readonly Step[] => [
  { call: "mkdir" },
  { call: "rename" },
  { call: "fsync", path: join(backups, "tower-archive", "objects") },
  { call: "link" },
];

/** A restore as an object is moved to its name, and as the database is. */
const restoreSteps = (into: string): readonly Step[] => [
  { call: "rename" },
  { call: "rename", path: join(into, ".tmp-tower.db") },
];

/** Kills a command at one of its steps, or at any step of any thread where all are tried; then not each is come to. */
async function kill(
  step: Step | undefined,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
) {
  if (step === undefined) throw new Error("there is no such step");
  const what = await killedAt(step, words, settings);
  if (!ALL) expect({ step, what }).toEqual({ step, what: "killed" });
}

/** What restoring a backup comes to, in a folder of its own. */
let restored = 0;
function restore(file: string, dataDir = join(folder.path, `restored-${++restored}`)) {
  const options = { despiteFaults: false, unverifiedOrigin: false, ownKeys: undefined };
  const archive = storeAt(join(dataDir, "raw-signals"));
  const deps = { clock: systemClock, ids: systemIds };
  return restoreInto(deps, dataDir, file, { ...options, archive, givenKeys: opened.deps.keys });
}

const reason = whyNoInjection();
const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
const numbers = (count: number) => Array.from({ length: count }, (_, place) => place);

describe.skipIf(reason !== undefined)("kill -9 at a step (reliability D4, D6)", () => {
  test(
    `of a backup never leaves half an object, nor a backup that is not whole under its name${suffix}`,
    async () => {
      for (const place of numbers(ALL ? EVERY.length : 4)) {
        const backups = join(folder.path, `backups-${++folders}`);
        mkdirSync(backups);
        const [one, two] = [join(backups, "one"), join(backups, "two")];
        const step = (ALL ? EVERY : backupSteps(backups))[place];
        await kill(step, ["backup", one], { DATA_DIR: data });
        if (existsSync(one)) {
          expect({ step, result: await restore(one) }).toMatchObject({ result: { ok: true, faults: [] } });
        }
        expect({ step, halves: await halves(join(backups, "tower-archive")) }).toEqual({ step, halves: [] });
        expect({ step, next: await make(two) }).toMatchObject({
          next: { ok: true, objects: { named: 3, lacking: 0 } },
        });
        expect({ step, result: await restore(two) }).toMatchObject({
          result: { ok: true, objects: { restored: 3 } },
        });
      }
    },
    ALL ? 1_500_000 : 120_000,
  );

  test(
    `of a restore leaves no database before its objects are whole, and the next one goes through${suffix}`,
    async () => {
      for (const place of numbers(ALL ? EVERY.length : 2)) {
        const into = join(folder.path, `into-${++folders}`);
        const archive = join(into, "raw-signals");
        const step = (ALL ? EVERY : restoreSteps(into))[place];
        await kill(step, ["restore", join(good, "one"), "--key-file", key], { DATA_DIR: into });
        expect({ step, halves: await halves(archive) }).toEqual({ step, halves: [] });
        if (!existsSync(join(into, "tower.db"))) {
          expect({ step, again: await restore(join(good, "one"), into) }).toMatchObject({
            again: { ok: true, faults: [] },
          });
        }
        for (const object of objects) expect(await verifyObject(storeAt(archive), object)).toBeUndefined();
        (await openFolder(into, { CREDENTIALS_KEY: await Bun.file(key).text() })).close();
        expect(readdirSync(into).filter((name) => name.startsWith(".tmp-tower.db"))).toStrictEqual([]);
      }
    },
    ALL ? 1_500_000 : 60_000,
  );
});
