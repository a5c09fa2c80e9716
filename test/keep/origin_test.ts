import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, listNewest as listAudit } from "../../src/access/audit.ts";
import { restore } from "../../src/app/backups.ts";
import { readConfig } from "../../src/base/config.ts";
import type { InstallationKeys } from "../../src/base/keys.ts";
import { backUp } from "../../src/keep/backup.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { CREDENTIALS_LOST_AT, findServiceState } from "../../src/store/store.ts";
import { craftBackup, sealFile, sealOf } from "../support/craft_backup.ts";
import { openFolder } from "../support/data_folder.ts";
import { filledFolder } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { keysOf } from "../support/keys.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const good = join(folder.path, "good.backup");
const keyFile = join(folder.path, "data", "credentials.key");
let keys: InstallationKeys;

beforeAll(async () => {
  const opened = await filledFolder(join(folder.path, "data"), 3);
  keys = opened.deps.keys;
  await backUp(opened.deps, { source: opened.deps.store.path, target: good, archive: opened.deps.config });
  opened.close();
});

let count = 0;
const fresh = () => join(folder.path, `restored-${++count}`);

/** Runs `restore` on a folder of its own, as a new machine does. */
async function restored(file: string, args: readonly string[], into = fresh(), key?: string) {
  const config = readConfig({ DATA_DIR: into, ...(key === undefined ? {} : { CREDENTIALS_KEY: key }) });
  return { into, ...(await restore.run(config, { args: [file, ...args] })) };
}

/** What a second opening of the folder finds wrong, and its audit. */
async function lookedAt(into: string) {
  const opened = await openFolder(into);
  const { store, keys: held } = opened.deps;
  const faults = checkEverything(store, held.forPurpose("audit")).flatMap((finding) => finding.faults);
  const count = (table: string) =>
    store.raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).all()[0]?.n;
  const found = {
    faults,
    key: held.id,
    sessions: count("operator_session"),
    setupLinks: count("setup_link"),
    lostAt: findServiceState(store.db, CREDENTIALS_LOST_AT),
    act: listAudit(store.db, { limit: 1 })[0],
  };
  opened.close();
  return found;
}

describe("restoring on a new machine (a seal proves where a backup comes from)", () => {
  test("with the key file the origin is proven, the key becomes the folder's, and every session and set-up link ends", async () => {
    const done = await restored(good, ["--key-file", keyFile]);
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toContain("made by the installation of this key");
    const path = join(done.into, "credentials.key");
    expect(readFileSync(path)).toEqual(readFileSync(keyFile));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await lookedAt(done.into)).toMatchObject({
      faults: [],
      key: keys.id,
      sessions: 0,
      setupLinks: 0,
      lostAt: undefined,
      act: { act: "backup.restore", detail: expect.stringContaining('"origin":"proven","sessions_ended":1') },
    });
  });

  test("a key that the folder or the setting holds proves it too", async () => {
    const into = fresh();
    const asked = await restored(good, ["--key-file", keyFile], into);
    expect(asked.exitCode).toBe(0);
    const again = fresh();
    const setting = readFileSync(keyFile, "utf8").trim();
    expect(await restored(good, [], again, setting)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readdirSync(again)).not.toContain("credentials.key");
  });

  test("without the key, or with another, it is refused, says which key it wants, and leaves nothing", async () => {
    const other = join(folder.path, "other.key");
    writeFileSync(other, keysOf(7).fileBytes());
    for (const args of [[], ["--key-file", other]]) {
      const refused = await restored(good, args);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(keys.id);
      expect(refused.stderr).toContain("--key-file");
      expect(readdirSync(refused.into)).toStrictEqual([]);
    }
    const broken = await restored(good, ["--key-file", good]);
    expect(broken.stderr).toContain("holds no key");
    const torn = await restored(good, ["--key-file", join(folder.path, "none")]);
    expect(torn.stderr).toContain("there is no file");
  });

  test("a key file that holds no key is put aside for the one given, and not written over", async () => {
    const into = fresh();
    mkdirSync(into);
    const torn = "-_-_ a key that was copied badly";
    writeFileSync(join(into, "credentials.key"), torn);
    const done = await restored(good, ["--key-file", keyFile], into);
    expect(done.exitCode).toBe(0);
    expect(readFileSync(join(into, "credentials.key.unusable"), "utf8")).toBe(torn);
    expect(readFileSync(join(into, "credentials.key"), "utf8")).toBe(readFileSync(keyFile, "utf8"));
  });

  test("beside another key than the one given it is refused", async () => {
    const setting = Buffer.alloc(32, 7).toString("base64");
    const refused = await restored(good, ["--key-file", keyFile], fresh(), setting);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("put one of them away") });
  });

  test("--unverified-origin restores it, names everybody it lets in, counts credentials as lost, and says so in the audit", async () => {
    const done = await restored(good, ["--unverified-origin"]);
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toContain("ORIGIN NOT PROVEN");
    for (const said of [
      "ada (password)",
      "pipeline (a service)",
      "annotations, read",
      "of orchard",
      "count as lost",
    ]) {
      expect(done.stderr).toContain(said);
    }
    const found = await lookedAt(done.into);
    expect(found).toMatchObject({ faults: [], sessions: 0, setupLinks: 0 });
    expect(found.key).not.toBe(keys.id);
    expect(Number(found.lostAt)).toBeGreaterThan(0);
    expect(found.act).toMatchObject({ act: "backup.restore", detail: expect.stringContaining("unverified") });
  });

  test("a backup that was sealed without a key needs --unverified-origin", async () => {
    const old = join(folder.path, "old.backup");
    const { bytes, made_at, rows, objects } = sealOf(good);
    writeFileSync(old, readFileSync(good).subarray(0, bytes));
    sealFile(old, { made_at, rows, objects });
    expect((await restored(old, ["--key-file", keyFile])).stderr).toContain("without a key");
    expect((await restored(old, ["--key-file", keyFile, "--unverified-origin"])).exitCode).toBe(0);
  });
});

type Row = Record<string, string | number | null>;

/** What somebody does to a copy who has an SQLite and the source of this release, and not the key. */
const CRAFTS: readonly (readonly [what: string, sql: string | ((d: Database) => void), said: string])[] = [
  [
    "a spy trigger",
    "CREATE TRIGGER spy AFTER INSERT ON audit BEGIN UPDATE operator SET name = name; END",
    "trigger spy",
  ],
  ["a view", "CREATE VIEW seen AS SELECT * FROM operator", "view seen"],
  [
    "a weakened guard",
    "DROP TRIGGER audit_no_update; CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit WHEN 0 BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END",
    "trigger audit_no_update is not as",
  ],
  ["a guard taken out", "DROP TRIGGER pulse_no_delete", "trigger pulse_no_delete is missing"],
  ["an index over an expression", "CREATE INDEX more ON operator (lower(password_hash))", "index more"],
  ["a column more", "ALTER TABLE setup_link ADD COLUMN more TEXT", "table setup_link is not as"],
  ["an audit rewritten with its chain", (database) => rewriteAudit(database), "audit row"],
];

function rewriteAudit(database: Database): void {
  const guards = database
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name LIKE 'audit\\_no\\_%' ESCAPE '\\'")
    .all();
  database.run("DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete");
  let previous = "0".repeat(64);
  for (const row of database.query<Row & { id: number }, []>("SELECT * FROM audit ORDER BY id").all()) {
    const changed = { ...row, actor: "operator:nobody", previous_hash: previous } as never;
    const hash = hashOf(changed);
    database.run("UPDATE audit SET actor = ?, previous_hash = ?, hash = ? WHERE id = ?", [
      "operator:nobody",
      previous,
      hash,
      row.id,
    ]);
    previous = hash;
  }
  for (const { sql } of guards) database.run(sql);
}

describe("a crafted backup", () => {
  for (const [what, change, said] of CRAFTS) {
    test(`with ${what} is refused by name, even sealed with the right key and of an origin nobody asks for`, async () => {
      const crafted = join(folder.path, `crafted-${++count}`);
      const run = typeof change === "string" ? (d: Database) => d.run(change) : change;
      craftBackup(good, crafted, run, keys);
      for (const args of [
        ["--key-file", keyFile],
        ["--key-file", keyFile, "--unverified-origin"],
      ]) {
        const refused = await restored(crafted, args);
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain(said);
        expect(readdirSync(refused.into)).toStrictEqual([]);
      }
    });
  }

  for (const [what, run] of [
    [
      "a new operator",
      (d) =>
        d.run(
          "INSERT INTO operator (id, name, kind, password_hash, created_at) VALUES ('x', 'mallory', 'person', '$argon2id$', 1)",
        ),
    ],
    ["a report whose body was changed", (d) => changeBody(d)],
  ] satisfies [string, (d: Database) => void][]) {
    test(`with ${what} and the digest taken anew is refused where the key is, and is no more than unproven elsewhere`, async () => {
      const crafted = join(folder.path, `crafted-${++count}`);
      craftBackup(good, crafted, run);
      for (const args of [
        ["--key-file", keyFile],
        ["--key-file", keyFile, "--unverified-origin"],
      ]) {
        const refused = await restored(crafted, args);
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain("was not made with it");
      }
      expect((await restored(crafted, [])).exitCode).toBe(1);
    });
  }

  test("that brings an operator of its own has it named when it is restored all the same", async () => {
    const crafted = join(folder.path, `crafted-${++count}`);
    craftBackup(good, crafted, (database) =>
      database.run("INSERT INTO operator (id, name, kind, created_at) VALUES ('x', 'mallory', 'person', 1)"),
    );
    const done = await restored(crafted, ["--unverified-origin"]);
    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain("  mallory (no password)");
  });

  test("cannot hide whom it lets in from the terminal, by a name or by its seal", async () => {
    const crafted = join(folder.path, `crafted-${++count}`);
    const name = "mallory\r\u001b[2K\u001b[1A\n  ada";
    craftBackup(good, crafted, (database) =>
      database.run("INSERT INTO operator (id, name, kind, created_at) VALUES ('x', ?, 'person', 1)", [name]),
    );
    const { bytes, rows, objects } = sealOf(crafted);
    writeFileSync(crafted, readFileSync(crafted).subarray(0, bytes));
    sealFile(crafted, { made_at: "2026\u001b[2J", key: "\u001b[8m", rows, objects });
    const done = await restored(crafted, ["--unverified-origin"]);
    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain("  mallory\\u{d}\\u{1b}[2K\\u{1b}[1A\\u{a}  ada (no password)\n");
    expect(`${done.stdout}${done.stderr}`).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

function changeBody(database: Database): void {
  const guards = database
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name IN ('pulse_body_stays')")
    .all();
  const last = "(SELECT max(id) FROM pulse_body)";
  database.run("DROP TRIGGER pulse_body_stays");
  database.run(`UPDATE pulse_body SET body = replace(body, 'signups', 'signoffs') WHERE id = ${last}`);
  for (const { sql } of guards) database.run(sql);
}
