/** A filled database of the release before opens: its reports with their bodies, each proven by the digest it always carried. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/boot.ts";
import { checkDatabase } from "../../src/check/check_file.ts";
import { listSentReports } from "../../src/codebase/store.ts";
import { listMigrations } from "../../src/db/journal.ts";
import { listPulses } from "../../src/pulse/store.ts";
import { openFolder } from "../support/data_folder.ts";
import { filledFolder, packLater } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { asOfLevel } from "../support/landed.ts";

/** Migrations of the release before. */
const BEFORE = 6;

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const landed = join(folder.path, "landed.db");
let due: unknown;

beforeAll(async () => {
  const opened = await filledFolder(join(folder.path, "source"), 5);
  due = reportsIn(opened);
  opened.close();
  asOfLevel(opened.deps.store.path, landed, BEFORE);
  const database = new Database(landed);
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA user_version = 1");
  database.close();
});

const reportsIn = ({ deps: { store } }: Opened) =>
  ["harbor", "orchard"].map((asset) => [
    listPulses(store.db, { asset, allRevisions: true }, 99),
    listSentReports(store.db, { asset, allRevisions: true }, 99),
  ]);

const faultsIn = ({ deps }: Opened) =>
  checkDatabase(deps.store.path, deps.keys.forPurpose("audit")).flatMap(({ faults }) => faults);

function folderWith(name: string, files: readonly (readonly [from: string, to: string])[]): string {
  const path = join(folder.path, name);
  mkdirSync(path);
  for (const [from, to] of files) if (existsSync(from)) copyFileSync(from, join(path, to));
  return path;
}

test("all of its reports are there, byte for byte, before and after they are packed, and check finds nothing wrong", async () => {
  const opened = await openFolder(folderWith("data", [[landed, "tower.db"]]));
  const { raw } = opened.deps.store;
  const bodies = () => raw.query<{ n: number }, []>("SELECT count(*) AS n FROM pulse_body").all();
  expect(reportsIn(opened)).toEqual(due as never);
  expect(bodies()).toEqual([{ n: 10 }]);
  expect(faultsIn(opened)).toEqual([]);
  await opened.deps.follower.settle();
  await packLater(opened);
  expect(bodies()).toEqual([{ n: 0 }]);
  expect(reportsIn(opened)).toEqual(due as never);
  expect(faultsIn(opened)).toEqual([]);
  opened.close();
});

test("killed at any statement of what brings it up to date it loses nothing, and the next start does it all", async () => {
  const statements = listMigrations()
    .slice(BEFORE)
    .flatMap((migration) => migration.statements);
  const path = join(folder.path, "killed.db");
  copyFileSync(landed, path);
  const database = new Database(path);
  // Every page goes into the log at once, as those of a large database do.
  for (const pragma of ["cache_size = 0", "cache_spill = 1", "wal_autocheckpoint = 0"])
    database.run(`PRAGMA ${pragma}`);
  database.run("BEGIN IMMEDIATE");
  const killed = statements.map((statement, at) => {
    database.run(statement);
    return folderWith(`killed-${at}`, [
      [path, "tower.db"],
      [`${path}-wal`, "tower.db-wal"],
    ]);
  });
  database.run("ROLLBACK");
  database.close();
  expect(killed.length).toBeGreaterThan(20);
  for (const at of killed) {
    const opened = await openFolder(at);
    expect(reportsIn(opened)).toEqual(due as never);
    expect(faultsIn(opened)).toEqual([]);
    opened.close();
  }
}, 120_000);
