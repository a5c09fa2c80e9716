import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { checkDatabase } from "../../src/check/check_file.ts";
import { APPEND_ONLY_TABLES } from "../../src/db/append_only.ts";
import { listMigrations } from "../../src/db/journal.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { filledFolder } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { asOfLevel } from "../support/landed.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { runToEnd } from "../support/service.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const landed = join(folder.path, "landed.db");
const lastRelease = join(folder.path, "last_release.db");

beforeAll(async () => {
  const opened = await filledFolder(join(folder.path, "source"), 5, 5);
  opened.close();
  asOfLevel(opened.deps.store.path, landed, 1);
  asOfLevel(opened.deps.store.path, lastRelease, listMigrations().length - 1);
});

let count = 0;
function dataFolder(of = landed): string {
  const path = join(folder.path, `data-${++count}`);
  mkdirSync(path);
  copyFileSync(of, join(path, "tower.db"));
  return path;
}

describe("a database from before rows carried digests and the audit codes (decisions 4)", () => {
  test("is opened; its rows get their digests beside them once, new rows carry their own, and check finds nothing wrong", async () => {
    const path = dataFolder();
    (await openFolder(path)).close();
    const opened = await openFolder(path);
    const { store, keys } = opened.deps;
    await acceptNow(
      opened,
      fullPulse({ generatedAt: new Date(opened.deps.clock.now() - 60_000).toISOString() }),
    );
    await opened.deps.follower.settle();
    const beside = store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM row_digest_before").all();
    // Of the tables that were there: a later one holds nothing from before.
    const later = [
      "annotation_strike",
      "archive_object",
      "archive_report",
      "archive_target",
      "health_event",
      "health_target",
      "job_end",
      "job_run",
      "monitoring_event",
      "observation",
      "pull_target",
    ];
    const old = APPEND_ONLY_TABLES.filter((table) => !later.includes(table)).map(
      (table) =>
        store.raw
          .query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table} WHERE row_digest IS NULL`)
          .all()[0]?.n ?? 0,
    );
    opened.close();
    expect(old.every((rows) => rows > 0)).toBe(true);
    expect(beside).toEqual([{ n: old.reduce((sum, rows) => sum + rows, 0) }]);
    const findings = checkDatabase(store.path, keys.forPurpose("audit"));
    expect(findings.flatMap(({ faults }) => faults)).toEqual([]);
    const notes = findings.flatMap((finding) => finding.notes);
    expect(notes).toEqual([
      expect.stringMatching(/^rows 1 to \d+: from before rows were keyed/),
      expect.stringMatching(/: proven with this installation's key$/),
    ]);
  });

  test("a row of it that is changed later is found", async () => {
    const path = dataFolder();
    const opened = await openFolder(path);
    opened.close();
    const database = new Database(opened.deps.store.path);
    database.run("DROP TRIGGER annotation_no_update");
    database.run("UPDATE annotation SET note = 'another' WHERE ref = 'v2'");
    database.close();
    const faults = checkDatabase(opened.deps.store.path, undefined).flatMap((finding) => finding.faults);
    expect(faults).toContainEqual(
      expect.stringMatching(/^annotation, row [0-9a-f-]+: it is not as it was written/),
    );
  });

  test("is checked and backed up before this release ever starts with it, and stays as it is", async () => {
    const path = dataFolder();
    const checked = await runToEnd("cli.ts", ["check"], { DATA_DIR: path });
    expect(checked.code).toBe(0);
    expect(checked.out).toContain("not checked: the database is of an earlier release");
    const made = await runToEnd("cli.ts", ["backup", join(folder.path, "before.backup")], { DATA_DIR: path });
    expect(made.code).toBe(0);
    expect(made.err).toContain("no key is here");
    const restored = join(folder.path, "restored");
    const done = await runToEnd(
      "cli.ts",
      ["restore", join(folder.path, "before.backup"), "--unverified-origin"],
      {
        DATA_DIR: restored,
      },
    );
    expect(done.code).toBe(0);
    expect((await runToEnd("cli.ts", ["check"], { DATA_DIR: restored })).code).toBe(0);
  });
});

test("a database of the release before this one, whose rows carry digests, is sound and can be backed up before this one starts", async () => {
  const path = dataFolder(lastRelease);
  const checked = await runToEnd("cli.ts", ["check"], { DATA_DIR: path });
  expect([checked.code, checked.out]).toEqual([0, expect.stringContaining("of an earlier release")]);
  const made = await runToEnd("cli.ts", ["backup", join(folder.path, "last.backup")], { DATA_DIR: path });
  expect(made.code).toBe(0);
  (await openFolder(path)).close();
  expect((await runToEnd("cli.ts", ["check"], { DATA_DIR: path })).code).toBe(0);
});
