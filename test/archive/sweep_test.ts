/** What is swept is what nobody can need; everything else stays. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { sweepArchive } from "../../src/archive/archive.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { putServiceState, RESTORED_AT } from "../../src/store/service_state.ts";
import { archiveObject, nameObject } from "../support/archive.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type MadeObject, objectHolding, spooled } from "../support/objects.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NAMED = objectHolding("named");
const ORPHAN = objectHolding("an orphan");

let folder: ReturnType<typeof temporaryFolder>;
let service: TestTower;
beforeEach(async () => {
  folder = temporaryFolder();
  service = await testTower({ settings: { DATA_DIR: folder.path, RAW_SIGNALS: join(folder.path, "raw") } });
  await archiveObject(service.deps, folder.path, NAMED);
  beganAt(10);
  await stored(ORPHAN, 3);
});
afterEach(async () => {
  await service.close();
  folder[Symbol.dispose]();
});

const fileOf = ({ sha256 }: MadeObject) => join(folder.path, "raw", pathOfObject(sha256));
const now = () => service.deps.clock.now();

/** The first run of the archive began so many days ago. */
function beganAt(days: number): void {
  service.deps.store.raw.run("DROP TRIGGER IF EXISTS job_run_no_delete");
  service.deps.store.raw.run("DELETE FROM job_run");
  service.deps.store.raw.run("INSERT INTO job_run (run, job, started_at) VALUES ('first', 'analysis', ?)", [
    now() - days * DAY,
  ]);
}

/** Stores an object that no row names, so many days ago. */
async function stored(object: MadeObject, days: number): Promise<void> {
  await service.deps.objects.put(object, spooled(folder.path, object));
  const at = (now() - days * DAY) / 1_000;
  utimesSync(fileOf(object), at, at);
}

const swept = () => sweepArchive(service.deps, new AbortController().signal);
const copyOf = (name: string, sha256: string) =>
  service.deps.objects.putFile(name, gzipSync(`{"id":1,"object":"${sha256}"}\n{"id":2,"object":null}\n`));
const dayAgo = (days: number) => new Date(now() - days * DAY).toISOString().slice(0, 10);

test("an object that nobody names goes after a day; one that a row names stays", async () => {
  expect(await swept()).toEqual({ halfWritten: 0, orphans: 1 });
  expect(existsSync(fileOf(ORPHAN))).toBe(false);
  expect(existsSync(fileOf(NAMED))).toBe(true);
});

test("what is half-written goes each time, orphans are looked for once a week", async () => {
  const half = join(dirname(fileOf(NAMED)), ".tmp-half");
  writeFileSync(half, "half");
  expect(await swept()).toEqual({ halfWritten: 1, orphans: 1 });
  await stored(ORPHAN, 3);
  writeFileSync(half, "half");
  expect(await swept()).toEqual({ halfWritten: 1, orphans: 0 });
  service.deps.clock.advance(7 * DAY);
  expect(await swept()).toEqual({ halfWritten: 0, orphans: 1 });
});

const KEPT: readonly (readonly [why: string, arrange: () => Promise<unknown> | unknown])[] = [
  ["it came within a day", () => stored(ORPHAN, 0.9)],
  ["it came a day ago to the millisecond", () => stored(ORPHAN, 1)],
  ["a row names it by now", () => nameObject(service.deps, ORPHAN)],
  ["it came before this database's first run", () => beganAt(2)],
  [
    "it came before this database was restored from a backup",
    () => service.deps.writer.write((tx) => putServiceState(tx, RESTORED_AT, String(now() - 2 * DAY), now())),
  ],
  [
    "a manifest copy names it: its row is lost, or another Tower's",
    () => copyOf(`manifest/${dayAgo(3)}/of-another.ndjson.gz`, ORPHAN.sha256),
  ],
  [
    "a manifest copy cannot be read",
    () => {
      const path = join(folder.path, "raw", "manifest", dayAgo(1), "damaged.ndjson.gz");
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "not gzip");
    },
  ],
  [
    "the run is told to stop",
    () => {
      stopped = true;
    },
  ],
];
let stopped = false;

test.each(KEPT)("it stays where %s", async (_, arrange) => {
  stopped = false;
  await arrange();
  const abort = new AbortController();
  if (stopped) abort.abort();
  expect((await sweepArchive(service.deps, abort.signal)).orphans).toBe(0);
  expect(existsSync(fileOf(ORPHAN))).toBe(true);
});

test("a copy of a run that this database knows need not be read: all that it names has its row", async () => {
  const path = join(folder.path, "raw", "manifest", dayAgo(1), "first.ndjson.gz");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "not gzip");
  service.deps.store.raw.run("INSERT INTO archive_copy SELECT id, 8, zeroblob(32) FROM job_run");
  expect((await swept()).orphans).toBe(1);
});

test("a database that never archived anything sweeps nothing, whatever lies there", async () => {
  service.deps.store.raw.run("DELETE FROM job_run");
  expect((await swept()).orphans).toBe(0);
  expect(existsSync(fileOf(ORPHAN))).toBe(true);
});
