import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { type InstallationKeys, keyPath } from "../../src/base/keys.ts";
import { checkDatabase } from "../../src/keep/keep.ts";
import { assertAscending } from "../../src/store/read_model.ts";
import { openFolder } from "../support/data_folder.ts";
import { filledFolder } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { bareEnvironment, type Finished, runToEnd } from "../support/service.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const source = join(folder.path, "data");
let keys: InstallationKeys;

beforeAll(async () => {
  const opened = await filledFolder(source, 20);
  keys = opened.deps.keys;
  opened.close();
});

let count = 0;

/** A copy of the data folder, with its database as `change` leaves it. */
function damaged(change: (path: string) => void): { readonly DATA_DIR: string; readonly database: string } {
  const into = join(folder.path, `damaged-${++count}`);
  mkdirSync(into);
  for (const name of ["tower.db", "constants.toml", "credentials.key", "lock.db"]) {
    copyFileSync(join(source, name), join(into, name));
  }
  change(join(into, "tower.db"));
  return { DATA_DIR: into, database: join(into, "tower.db") };
}

const inSql = (sql: string) => (path: string) => {
  const database = new Database(path);
  database.run(sql);
  database.close();
};

/** Changes one text in the file's bytes for another of the same length: everywhere, since what was moved leaves its bytes behind. */
const inBytes = (text: string, other: string) => (path: string) => {
  const bytes = readFileSync(path);
  if (!bytes.includes(text) || text.length !== other.length) throw new Error(`cannot change ${text}`);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) bytes.write(other, at);
  writeFileSync(path, bytes);
};

const faultsIn = (path: string) =>
  checkDatabase(path, keys.forPurpose("audit")).flatMap(({ what, faults }) =>
    faults.map((fault) => `${what}: ${fault}`),
  );

describe("check finds what SQLite's own check does not, by table and row", () => {
  test("of very many faults of one kind twenty are named, and the others counted", () => {
    const { database } = damaged(
      inSql(`
        INSERT INTO constants_version (took_effect_at, author, digest, document)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 33)
        SELECT i, 'x', 'no digest of it', 'x' FROM n`),
    );
    const of = checkDatabase(database, keys.forPurpose("audit")).find(({ what }) =>
      what.startsWith("constants"),
    );
    expect(of?.faults).toHaveLength(21);
    expect(of?.faults.at(-1)).toBe("and 13 more");
  });

  test("nothing is wrong with what nobody touched", () => {
    expect(faultsIn(join(source, "tower.db"))).toStrictEqual([]);
  });

  test("a read model that is not what it is made of is found", () => {
    const { database } = damaged((path) => {
      inSql("INSERT INTO archive_day (target, date, latest, good, failing) VALUES (7, 20700, 1, 1, 0)")(path);
      inSql("INSERT INTO archive_standing VALUES (8, 1, 0, 20700, 1, 1)")(path);
      inSql(
        "INSERT INTO insight (target, asset, provider, family, date, report, observed_at, body) VALUES (9, 'harbor', 'analytics', 'events', 20700, 1, 0, x'00')",
      )(path);
      inSql("DELETE FROM monitoring_failure")(path);
      inSql(
        "INSERT INTO monitoring_failure (kind, asset, source, subject, since, reason) VALUES ('sink', '', '', 'x', 0, 'x')",
      )(path);
    });
    expect(faultsIn(database)).toEqual([
      "how archived reports of each date stand, against the manifest: target 7 of 2026-09-04 is there, but its attempts lead to none",
      "how archived reports stand over all dates, against the manifest: target 8 is there, but its attempts lead to none",
      "what is kept of archived reports, against the manifest: what is kept of harbor, analytics: events of 2026-09-04 (row 1) is there, but the reports that stand lead to none",
      expect.stringMatching(/^lasting failures against their events: /),
    ]);
  });

  const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
    "a letter of a constants document": inBytes("flow_rules", "flow_ruled"),
    "a letter of an audit row": inBytes("asset.change", "asset.chance"),
    "white space in a table's own text": inBytes("\t`used_at` integer", "\v`used_at` integer"),
    "a packed body": inSql(
      "DROP TRIGGER pulse_pack_stays; UPDATE pulse_pack SET data = CAST(data || x'00' AS BLOB)",
    ),
    "a pack that is gone": inSql("DROP TRIGGER pulse_pack_goes_grown; DELETE FROM pulse_pack"),
    "a body that is not packed and is gone": inSql(
      "DROP TRIGGER pulse_body_goes_packed; DELETE FROM pulse_body",
    ),
  };
  test.each(Object.entries(DAMAGE))("%s is found; recorded", (_, change) => {
    expect(faultsIn(damaged(change).database)).toMatchSnapshot();
  });

  test("one damaged table hides no other: what breaks off is named, and what is left is checked", () => {
    const { database } = damaged((path) => {
      inSql("UPDATE pulse_freshness SET received_at = 5 WHERE asset = 'harbor'")(path);
      const reading = new Database(path, { readonly: true });
      const [root] = reading
        .query<{ rootpage: number }, []>(
          "SELECT rootpage FROM sqlite_schema WHERE name = 'constants_version'",
        )
        .all();
      reading.close();
      const bytes = readFileSync(path);
      bytes.fill(0x5a, ((root?.rootpage ?? 1) - 1) * 4_096, (root?.rootpage ?? 1) * 4_096);
      writeFileSync(path, bytes);
    });
    const faults = faultsIn(database);
    expect(faults).toContainEqual(
      expect.stringMatching(/^constants documents against their digests: broke off: /),
    );
    expect(faults).toContainEqual(
      expect.stringMatching(/^last reports against nightly reports: the last report of harbor/),
    );
  });

  test("a walk along an index whose rows stand out of order ends by name, and does not go round for ever", () => {
    expect(assertAscending("an index", "a", "b")).toBe("b");
    for (const next of ["a", "A", ""])
      expect(() => assertAscending("an index", "a", next)).toThrow("an index is out of order");
  });

  test("what is no database at all is a fault with a name", () => {
    const none = damaged((path) => writeFileSync(path, "no database".repeat(999)));
    expect(faultsIn(none.database)).toEqual([expect.stringMatching(/^database file: it cannot be opened: /)]);
    rmSync(none.database);
    expect(faultsIn(none.database)).toEqual([expect.stringMatching(/^database file: there is no /)]);
  });
});

describe("the start", () => {
  const start = (dataDir: string) =>
    runToEnd("main.ts", [], { DATA_DIR: dataDir, INGEST_PORT: "0", TOWER_PORT: "0", LOG_LEVEL: "error" });
  const refusesInOneLine = ({ code, out, err }: Finished, said: readonly string[]) => {
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^tower: [^\n]+\n$/);
    for (const text of said) expect(err).toContain(text);
  };

  test("is refused in one line on a damaged page, as is every command that writes, and a backup; check says all of it", async () => {
    const { DATA_DIR } = damaged((path) => {
      const reading = new Database(path, { readonly: true });
      const [root] = reading
        .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'operator'")
        .all();
      reading.close();
      const bytes = readFileSync(path);
      bytes.fill(0x5a, ((root?.rootpage ?? 1) - 1) * 4_096, (root?.rootpage ?? 1) * 4_096);
      writeFileSync(path, bytes);
    });
    refusesInOneLine(await start(DATA_DIR), [
      "must not be opened",
      `${TOWER_COMMAND} check`,
      "tower restore",
    ]);
    refusesInOneLine(await runToEnd("cli.ts", ["asset", "add", "pier"], { DATA_DIR }), [
      "must not be opened",
    ]);
    const checked = await runToEnd("cli.ts", ["check"], { DATA_DIR });
    expect(checked).toMatchObject({ code: 1, err: "" });
    expect(checked.out).toContain("FAULT   database file");
    expect(checked.out).toContain("ok      audit chain");
    const made = await runToEnd("cli.ts", ["backup", join(folder.path, "of-damaged")], { DATA_DIR });
    expect(made.code).toBe(1);
  });

  test("is refused on a schema that is not of this release", async () => {
    const { DATA_DIR } = damaged(inSql("CREATE TRIGGER spy AFTER INSERT ON pulse BEGIN SELECT 1; END"));
    refusesInOneLine(await start(DATA_DIR), ["trigger spy is not of this release"]);
  });

  for (const [what, change] of [
    ["removed", (path: string) => rmSync(path)],
    ["emptied", (path: string) => writeFileSync(path, "")],
  ] as const) {
    test(`is refused where the database was ${what}, names what is left, and makes nothing anew`, async () => {
      const { DATA_DIR, database } = damaged(change);
      const said = ["constants.toml", "credentials.key", "tower restore", "start from nothing on purpose"];
      refusesInOneLine(await start(DATA_DIR), said);
      expect(existsSync(database) && readFileSync(database).length > 0).toBe(false);
    });
  }
});

test("a command that only reads leaves no trace in a folder without a database, which a first start may still take", async () => {
  const DATA_DIR = mkdtempSync(join(folder.path, "put-there-"));
  writeFileSync(join(DATA_DIR, "constants.toml"), "[freshness]\n");
  for (const args of [["check"], ["backup", join(folder.path, "none.tower")]]) {
    const { exitCode } = Bun.spawnSync([process.execPath, "src/cli.ts", ...args], {
      env: { ...bareEnvironment(), DATA_DIR },
    });
    expect([args[0], exitCode]).toEqual([args[0], 1]);
  }
  expect(readdirSync(DATA_DIR)).toEqual(["constants.toml"]);
  (await openFolder(DATA_DIR)).close();
});

describe("in a folder that cannot be written", () => {
  // Root may write everywhere; without that one right it is like anybody.
  const asAnybody = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
  const run = (DATA_DIR: string, args: readonly string[]) => {
    const child = Bun.spawnSync([...asAnybody, process.execPath, "src/cli.ts", ...args], {
      env: { ...bareEnvironment(), DATA_DIR },
    });
    return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
  };

  test("check and backup work, and say that no lock was taken", () => {
    const { DATA_DIR } = damaged(() => undefined);
    const target = join(folder.path, "of-read-only.backup");
    chmodSync(DATA_DIR, 0o555);
    const checked = run(DATA_DIR, ["check"]);
    expect(checked.code).toBe(0);
    expect(checked.err).toContain("cannot be written");
    expect(checked.out).toContain("ok      audit chain");
    const made = run(DATA_DIR, ["backup", target]);
    expect(made.code).toBe(0);
    expect(made.err).toContain("without its lock");
    expect(faultsIn(target)).toStrictEqual([]);
    chmodSync(DATA_DIR, 0o700);
  });

  test("what a killed service left in the log is read too", async () => {
    const opened = await openFolder(join(folder.path, "killed"));
    const { DATA_DIR } = damaged((path) => {
      for (const end of ["", "-wal", "-shm"])
        copyFileSync(`${opened.deps.store.path}${end}`, `${path}${end}`);
    });
    const key = keyPath(DATA_DIR);
    copyFileSync(keyPath(opened.deps.config.dataDir), key);
    opened.close();
    chmodSync(DATA_DIR, 0o555);
    const checked = run(DATA_DIR, ["check"]);
    chmodSync(DATA_DIR, 0o700);
    expect(checked.code).toBe(0);
    expect(checked.out).toMatch(/rows? 1(?: to \d+)?: proven/);
  });
});
