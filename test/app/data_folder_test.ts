import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectDataDir, prepareFolder } from "../../src/app/data_folder.ts";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { systemFiles } from "../../src/base/files.ts";
import { takeDataLock } from "../../src/store/lock.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd } from "../support/service.ts";
import { answered } from "./run.ts";

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe("a data folder's rights", () => {
  test("are this user's alone where it is new, empty, or holds what Tower makes", async () => {
    using folder = temporaryFolder();
    for (const own of ["new", "empty", "tower.db", "credentials.key", "constants.toml"]) {
      const path = join(folder.path, own);
      if (own !== "new") mkdirSync(path, { mode: 0o755 });
      if (own.includes(".")) writeFileSync(join(path, own), "");
      await prepareFolder(path, systemFiles);
      expect(modeOf(path)).toBe(0o700);
    }
  });

  test("stay as they are where others work in it, and what Tower makes there is for its user alone", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "somebody's.txt"), "");
    chmodSync(folder.path, 0o1777);
    (await openFolder(folder.path)).close();
    expect(modeOf(folder.path)).toBe(0o1777);
    for (const name of ["tower.db", "credentials.key", "constants.toml"])
      expect(modeOf(join(folder.path, name))).toBe(0o600);
  });
});

test("looking into a folder says whether it is new, and makes nothing", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const look = () => inspectDataDir({ dataDir, rawSignals: join(dataDir, "raw") });
  expect(look()).toEqual({ isNew: true, left: [] });
  expect(existsSync(dataDir)).toBe(false);
  (await openFolder(dataDir)).close();
  const before = readdirSync(dataDir);
  expect(look()).toEqual({ isNew: false, left: [] });
  expect(readdirSync(dataDir)).toEqual(before);
});

describe("a start in a folder that cannot be used", () => {
  const inItsWay = "which is not a writable folder (a file is in its way), for example DATA_DIR=./data";

  test.each([
    ["a file", (path: string) => writeFileSync(path, ""), 2, inItsWay],
    [
      "a text in the database's place",
      (path: string) => {
        mkdirSync(path);
        writeFileSync(join(path, "tower.db"), "a text\n");
      },
      1,
      `tower.db must not be opened: file is not a database. See all of it with: ${TOWER_COMMAND} check.`,
    ],
  ] as const)("%s, ends in one line", async (_, lay, code, words) => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    lay(dataDir);
    const before = readdirSync(folder.path, { recursive: true });
    const ended = await runToEnd("main.ts", [], { DATA_DIR: dataDir, INGEST_PORT: "0", TOWER_PORT: "0" });
    expect([ended.code, ended.out]).toEqual([code, ""]);
    expect(ended.err).toMatch(/^tower: .*\n$/);
    expect(ended.err).toContain(words);
    const left = readdirSync(folder.path, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => !name.endsWith("lock.db"))).toEqual(before as string[]);
  });

  test.each([
    [
      "below a file",
      (path: string) => {
        writeFileSync(path, "");
        return join(path, "data");
      },
      inItsWay,
    ],
    [
      "a link to nothing",
      (path: string) => {
        symlinkSync(`${path}.nothing`, path);
        return path;
      },
      inItsWay,
    ],
    [
      "a folder in the database's place",
      (path: string) => {
        mkdirSync(join(path, "tower.db"), { recursive: true });
        return path;
      },
      "tower.db is a folder, not a database: is DATA_DIR the right one?",
    ],
    [
      "one that another process uses",
      (path: string) => {
        mkdirSync(path);
        takeDataLock(path);
        return path;
      },
      "another Tower process is using ",
    ],
  ] as const)("%s, says so and makes nothing", async (_, lay, words) => {
    using folder = temporaryFolder();
    const dataDir = lay(join(folder.path, "data"));
    const left = () =>
      readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter(
        (name) => !name.endsWith("lock.db"),
      );
    const before = left();
    await expect(openFolder(dataDir)).rejects.toThrow(words);
    expect(left()).toEqual(before);
  });

  for (const [which, change] of [
    ["a newer", "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)"],
    ["an earlier", "UPDATE __drizzle_migrations SET hash = 'other', created_at = 1"],
  ] as const) {
    test(`with the database of ${which} Tower: start, check and backup each say so in one line, and nothing of damage`, async () => {
      using folder = temporaryFolder();
      const DATA_DIR = join(folder.path, "data");
      const opened = await openFolder(DATA_DIR);
      opened.deps.store.raw.run(change);
      opened.close();
      const refused = `cannot be (opened|read): it is of ${which} Tower, which alone can read it: start that one`;
      const started = openFolder(DATA_DIR);
      await expect(started).rejects.toThrow(new RegExp(`tower\\.db ${refused}`));
      await expect(started).rejects.not.toThrow(/move it away/);
      const checked = await answered(["check"], { DATA_DIR });
      expect([checked.code, checked.out.trimEnd().split("\n").length]).toEqual([1, 2]);
      expect(checked.out).toMatch(new RegExp(refused));
      const made = await answered(["backup", join(folder.path, "made")], { DATA_DIR });
      expect([made.code, made.out]).toEqual([1, ""]);
      expect(made.err).toMatch(new RegExp(refused));
    });
  }
});
