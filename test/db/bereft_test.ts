import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftOfDatabase } from "../../src/db/mod.ts";
import { temporaryFolder } from "../support/folder.ts";

/** What is said to be left in a folder that holds these files; a name with a slash at its end is a folder. */
function leftBeside(files: Readonly<Record<string, string>>): string[] {
  using folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith("/")) mkdirSync(join(folder.path, name));
    else writeFileSync(join(folder.path, name), text);
  }
  const archive = join(folder.path, "raw-signals");
  return leftOfDatabase(folder.path, archive).map((name) => (name === archive ? "raw-signals" : name));
}

describe("a database that is gone does not become a new one", () => {
  for (const [what, files, left] of [
    ["nothing at all", {}, []],
    ["the lock of a first start that was cut off", { "lock.db": "" }, []],
    [
      "the lock and an empty database of a first start that was cut off",
      { "lock.db": "", "tower.db": "" },
      [],
    ],
    [
      "a constants document and a key put there beforehand",
      { "constants.toml": "a", "credentials.key": "b" },
      [],
    ],
    ["a database", { "lock.db": "", "tower.db": "x", "credentials.key": "b" }, []],
    ["an empty archive", { "raw-signals/": "" }, []],
    ["an empty log", { "tower.db-wal": "" }, []],
    ["a key where a service ran", { "lock.db": "", "credentials.key": "b" }, ["credentials.key"]],
    [
      "a constants document where a service ran",
      { "lock.db": "", "constants.toml": "a" },
      ["constants.toml"],
    ],
    ["a key beside an emptied database", { "tower.db": "", "credentials.key": "b" }, ["credentials.key"]],
    ["a log", { "tower.db-wal": "x" }, ["tower.db-wal"]],
    ["an archive", { "raw-signals/": "", "raw-signals/a": "x" }, ["raw-signals"]],
  ] as const) {
    test(`beside ${what}: ${left.length === 0 ? "nothing is missed" : `${left.join(", ")} says that there was one`}`, () => {
      expect(leftBeside(files)).toEqual([...left]);
    });
  }

  test("an archive that is no folder of this machine is not looked at", () => {
    using folder = temporaryFolder();
    expect(leftOfDatabase(folder.path, "s3://bucket/prefix")).toEqual([]);
  });
});
