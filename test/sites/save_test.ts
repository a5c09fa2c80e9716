/** A save is whole: the file, the version, its audit row and what belongs to the act are all there or none is, whatever fails. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { type Files, stagedPath, systemFiles } from "../../src/base/files.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { listVersions } from "../../src/sites/constants_document.ts";
import { ConstantsStore } from "../../src/sites/constants_store.ts";
import { findServiceState, openStore, putServiceState, type Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { finished } from "../support/service.ts";
import { stepDoors } from "../support/step_doors.ts";
import { NEW, OLD } from "./save_killed.ts";

let folder: string;
let path: string;
let store: Store;
let writer: Writer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tower-save-"));
  path = join(folder, "constants.toml");
  store = testStore();
  writer = new Writer(store);
  writeFileSync(path, OLD);
});

afterEach(() => {
  writer.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

type Steps = Pick<Parameters<typeof ConstantsStore.start>[0], "files" | "writer">;

const start = ({ files, writer: through }: Steps = { files: systemFiles, writer }) =>
  ConstantsStore.start({ path, files, clock: { now: () => 1_000 }, db: store.db, writer: through });

/** Saves as an operator does, with something that belongs to the act. */
const save = (keeper: ConstantsStore) =>
  keeper.save(
    NEW,
    { author: "operator:ada", also: (tx, version) => putServiceState(tx, "also", String(version), 1_000) },
    keeper.document().digest,
  );

/** Everything a save changes, as one word. */
function standing(of: Store = store): string {
  const file = readFileSync(path, "utf8") === NEW ? "new" : "old";
  const version = listVersions(of.db, 9).length === 2 ? "new" : "old";
  const audit = listAudit(of.db, { limit: 99 }).filter(({ act }) => act === "constants.save").length;
  return `file ${file}, version ${version}, audit ${audit}, also ${findServiceState(of.db, "also") ?? "none"}`;
}

const NOTHING = "file old, version old, audit 0, also none";
const ALL = "file new, version new, audit 1, also 2";

/** The doors to the disk and the database, of which the step `at` fails once, or from there on all do. */
function failing(at: number, mode: "once" | "from there on"): Steps & { steps: number } {
  const doors = { steps: -1 };
  const may = (): void => {
    if (doors.steps < 0) return;
    const step = doors.steps++;
    if (mode === "once" ? step === at : step >= at) throw new StorageUnavailable(`step ${step} failed`);
  };
  return Object.assign(doors, stepDoors(writer, may));
}

describe.each(["once", "from there on"] as const)("a step that fails %s", (mode) => {
  test("leaves all or nothing, and what was answered stays true", async () => {
    const outcomes: string[] = [];
    for (let at = 0; ; at++) {
      const doors = failing(at, mode);
      const keeper = await start(doors);
      doors.steps = 0;
      const answer = await save(keeper).then(
        ({ ok }) => (ok ? "saved" : "refused"),
        (error) => (error instanceof StorageUnavailable ? "refused" : String(error)),
      );
      const taken = doors.steps;
      doors.steps = -1;
      await keeper.refresh();
      expect(standing()).toBe(answer === "saved" ? ALL : NOTHING);
      const next = mode === "once" ? keeper : await start();
      expect(standing()).toBe(answer === "saved" ? ALL : NOTHING);
      expect(next.current().version).toBe(answer === "saved" ? 2 : 1);
      expect(next.problem).toBeUndefined();
      expect(listMonitoringFailures(store.db)).toStrictEqual([]);
      expect(readdirSync(folder)).toEqual(["constants.toml"]);
      outcomes.push(answer);
      if (taken <= at) break;
      afterEachStep();
    }
    expect(new Set(outcomes)).toEqual(new Set(["refused", "saved"]));
    expect(outcomes.length).toBeGreaterThan(7);
  });
});

/** A fresh ground for the next step. */
function afterEachStep(): void {
  writer.close();
  store.close();
  store = testStore();
  writer = new Writer(store);
  writeFileSync(path, OLD);
}

test("what belongs to the act and fails takes the save with it", async () => {
  const keeper = await start();
  const broken = () => {
    throw new Error("no such flag");
  };
  const digest = keeper.document().digest;
  await expect(keeper.save(NEW, { author: "operator:ada", also: broken }, digest)).rejects.toThrow(
    "no such flag",
  );
  await keeper.refresh();
  expect(standing()).toBe(NOTHING);
});

test("while the file cannot follow, what was saved is in effect, the failure is told, and an edit of the file goes before", async () => {
  const broken: Files = { ...systemFiles, rename: () => Promise.reject(new Error("EROFS")) };
  const keeper = await start({ files: broken, writer });
  expect(await save(keeper)).toMatchObject({ ok: true, current: { version: 2 } });
  await keeper.refresh();
  expect(standing()).toBe("file old, version new, audit 1, also 2");
  expect(keeper.current().text).toBe(NEW);
  expect(keeper.document().text).toBe(NEW);
  expect(listMonitoringFailures(store.db)).toMatchObject([
    { reason: expect.stringContaining("Version 2 is in effect, but constants.toml could not be written") },
  ]);
  const again = await start({ files: broken, writer });
  expect(again.current()).toMatchObject({ version: 2, author: "operator:ada" });
  // The kernel's time of a file moves in steps of some milliseconds: an edit of the same step could not be told from a file before.
  const saved = statSync(stagedPath(path)).ctimeMs;
  do writeFileSync(path, "[freshness]\nsilent_hours = 77\n");
  while (statSync(path).ctimeMs <= saved);
  await again.refresh();
  expect(again.current()).toMatchObject({ version: 3, author: "file" });
  expect(listMonitoringFailures(store.db)).toStrictEqual([]);
});

test("of several saves whose file could not follow the last one reaches it, also over a restart", async () => {
  const broken: Files = { ...systemFiles, rename: () => Promise.reject(new Error("EROFS")) };
  const keeper = await start({ files: broken, writer });
  for (const hours of [51, 52]) {
    const text = `[freshness]\nsilent_hours = ${hours}\n`;
    expect((await keeper.save(text, { author: "operator:ada" }, keeper.document().digest)).ok).toBe(true);
  }
  expect((await save(keeper)).ok).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(OLD);
  const next = await start();
  expect(next.current()).toMatchObject({ version: 4, text: NEW });
  expect(readFileSync(path, "utf8")).toBe(NEW);
});

test("a process killed at any step leaves all or nothing", async () => {
  const ends: string[] = [];
  const runs = Array.from({ length: STEPS + 1 }, (_, at) => at);
  const work = async () => {
    for (let at = runs.shift(); at !== undefined; at = runs.shift()) ends.push(await killedAt(at));
  };
  await Promise.all([work(), work(), work()]);
  expect(ends.filter((end) => end.startsWith("killed")).length).toBe(STEPS);
  expect(new Set(ends.map((end) => end.replace(/ at \d+/, "")))).toEqual(
    new Set([`killed: ${NOTHING}`, `killed: ${ALL}`, `saved: ${ALL}`]),
  );
});

/** Steps of a save: looking (2), staging (2), committing, looking again (3), renaming, syncing the folder. */
const STEPS = 10;

async function killedAt(at: number): Promise<string> {
  const home = mkdtempSync(join(folder, "killed-"));
  const script = join(import.meta.dir, "save_killed.ts");
  const child = Bun.spawn([process.execPath, script, home, String(at)], { stdout: "pipe", stderr: "pipe" });
  const { out: said, err: wrong } = await finished(child);
  expect(wrong).toBe("");
  const end = child.signalCode === "SIGKILL" ? `killed at ${at}` : said;
  const after = openStore(join(home, "tower.db"));
  const through = new Writer(after);
  await ConstantsStore.start({
    path: join(home, "constants.toml"),
    files: systemFiles,
    clock: { now: () => 2_000 },
    db: after.db,
    writer: through,
  });
  path = join(home, "constants.toml");
  const left = standing(after);
  through.close();
  after.close();
  return `${end}: ${left}`;
}
