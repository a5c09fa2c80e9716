import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { drill } from "../../src/app/backups.ts";
import { readConfig } from "../../src/base/config.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { backUp } from "../../src/keep/backup.ts";
import { newestBackup } from "../../src/keep/drill.ts";
import { archiveTexts, objectIn, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { MadeObject } from "../support/objects.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const data = join(folder.path, "data");
const backups = join(folder.path, "backups");
const scratch = join(folder.path, "scratch");
const HOUR_MS = 3_600_000;
let objects: MadeObject[];

beforeAll(async () => {
  mkdirSync(backups);
  mkdirSync(scratch);
  const opened = await openFolder(data);
  const { deps } = opened;
  objects = await archiveTexts(opened, textsNumbered(0, 6));
  const made = (name: string, hoursAgo: number, withObjects = true) => {
    const clock = { now: () => deps.clock.now() - hoursAgo * HOUR_MS };
    const archive = withObjects ? deps.config : undefined;
    return backUp({ ...deps, clock }, { source: deps.store.path, target: join(backups, name), archive });
  };
  await made("b-older", 50);
  await made("a-newest", 2);
  await made("apart", 60, false);
  opened.close();
});

let count = 0;

/** The backups as they are, copied, with `change` done to the copy. */
function changed(change: (folder: string) => void = () => undefined): string {
  const into = join(folder.path, `changed-${++count}`);
  cpSync(backups, into, { recursive: true, preserveTimestamps: true });
  change(into);
  return into;
}

/** Runs `drill` as somebody does who has the data folder's key. */
function drilled(path: string, ...more: readonly string[]) {
  const needs = {
    config: readConfig({ DATA_DIR: data }),
    open: async ({ dataDir }: { readonly dataDir: string }) => {
      const { deps, close } = await openFolder(dataDir);
      return { store: deps.store, accounts: { stored: 0, readable: 0 }, close };
    },
  };
  return drill.run(needs, { args: [path, "--in", scratch, ...more] });
}

function first(): MadeObject {
  const [object] = objects;
  if (object === undefined) throw new Error("nothing is archived");
  return object;
}

describe("drill", () => {
  test("proves the newest backup of a folder, and leaves nothing and touches nothing", async () => {
    const before = [treeOf(data), treeOf(backups)];
    const result = await drilled(backups);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    const [path, , restored, archive, , accounts, rows, last] = result.stdout.split("\n");
    expect(path).toBe(join(backups, "a-newest"));
    expect(restored).toContain("database file; foreign keys; ");
    expect(archive).toMatch(/^archive: 6 objects \([\d.]+ KiB\) lie beside it and hash right$/);
    expect(accounts).toBe("accounts: none");
    expect(rows).toContain("archive_report 6");
    expect(last).toStartWith("whole: it can be restored");
    expect([treeOf(data), treeOf(backups)]).toEqual(before);
    expect(readdirSync(scratch)).toStrictEqual([]);
  });

  test("names each object that is damaged, missing or swapped, and ends with 1", async () => {
    const [flipped, missing, cut] = objects;
    if (flipped === undefined || missing === undefined || cut === undefined) throw new Error("not archived");
    const path = changed((into) => {
      const at = (object: MadeObject) => objectIn(join(into, "tower-archive"), object);
      const bytes = readFileSync(at(flipped));
      bytes.writeUInt8(bytes.readUInt8(200) ^ 8, 200);
      for (const object of [flipped, cut]) chmodSync(at(object), 0o600);
      writeFileSync(at(flipped), bytes);
      rmSync(at(missing));
      truncateSync(at(cut), 99);
    });
    const result = await drilled(path);
    expect(result.exitCode).toBe(1);
    expect(result.stdout).toMatch(/^archive: 3 of 6 objects .*are missing or damaged beside it$/m);
    expect(result.stdout).toContain("NOT WHOLE");
    for (const { sha256 } of [flipped, missing, cut])
      expect(result.stderr).toContain(`object ${sha256} (harbor`);
    expect(result.stderr).toContain("of 6 objects that its manifest names, 3 are not there whole");
    expect(readdirSync(scratch)).toStrictEqual([]);
  });

  test("of a damaged database is refused by name, and so is a newer file that was cut short", async () => {
    const flippedAt = (path: string) => {
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(9_000) ^ 1, 9_000);
      writeFileSync(path, bytes);
    };
    const damaged = await drilled(changed((into) => flippedAt(join(into, "a-newest"))));
    expect(damaged).toMatchObject({ exitCode: 1, stdout: "" });
    expect(damaged.stderr).toMatch(/^the drill failed: .*a-newest: .* is damaged: its bytes are not those/);
    const cut = await drilled(changed((into) => truncateSync(join(into, "a-newest"), 20_000)));
    expect(cut).toMatchObject({ exitCode: 1 });
    expect(cut.stdout).toContain("b-older\n");
    expect(cut.stderr).toMatch(
      /^\S*a-newest ends with no whole seal: it is damaged, cut short, or no backup$/,
    );
  });

  test("of one that was made without objects, these are proven where they are", async () => {
    const apart = join(backups, "apart");
    expect((await drilled(apart)).stdout).toContain(
      "lie in the archive itself, as the backup was made without",
    );
    const object = objectIn(join(data, "raw-signals"), first());
    const kept = `${object}-kept`;
    copyFileSync(object, kept);
    rmSync(object);
    try {
      const result = await drilled(apart);
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain(`object ${first().sha256}`);
    } finally {
      copyFileSync(kept, object);
      rmSync(kept);
    }
  });

  test("without the key the origin is not proven: it is refused, unless that is wanted", async () => {
    const config = readConfig({ DATA_DIR: join(folder.path, "elsewhere") });
    const open = () => Promise.reject(new Error("not opened"));
    const refused = await drill.run({ config, open }, { args: [backups, "--in", scratch] });
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain("nothing proves that");
    (await openFolder(config.dataDir)).close();
    const other = await drilled(backups, "--key-file", join(config.dataDir, "credentials.key"));
    expect(other.stderr).toContain("it was made with another key");
    expect((await drilled(backups, "--unverified-origin")).exitCode).toBe(0);
  });

  test("what it needs is looked at first; what a killed one left is removed", async () => {
    const left = join(scratch, "tower-drill-Ab3dEf");
    const fresh = join(scratch, "tower-drill-Gh4iJk");
    for (const path of [left, fresh]) mkdirSync(path, { mode: 0o700 });
    utimesSync(left, 1, 1);
    expect((await drilled(backups)).exitCode).toBe(0);
    expect(readdirSync(scratch)).toEqual(["tower-drill-Gh4iJk"]);
    rmSync(fresh, { recursive: true });
    const empty = join(folder.path, "empty");
    mkdirSync(empty);
    expect(await drilled(empty)).toMatchObject({
      exitCode: 1,
      stderr: `the drill failed: there is no backup in ${empty}`,
    });
    expect((await drilled(join(empty, "none"))).stderr).toBe(
      `there is no file or folder ${join(empty, "none")}`,
    );
  });

  test("told to stop it stops, and leaves nothing", async () => {
    const signal = AbortSignal.abort();
    const config = readConfig({ DATA_DIR: data });
    const open = () => Promise.reject(new Error("not opened"));
    const result = await drill.run({ config, open }, { args: [backups, "--in", scratch], signal });
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the drill was stopped") });
    expect(readdirSync(scratch)).toStrictEqual([]);
  });
});

describe("the newest backup of a folder", () => {
  test("is told by the seals, whatever the files are called and were touched", () => {
    const path = changed((into) => {
      utimesSync(join(into, "a-newest"), 1, 1);
      writeFileSync(join(into, "notes.txt"), "no backup");
      writeFileSync(join(into, ".tmp-tower-backup.x"), "SQLite format 3\0");
      mkdirSync(join(into, "z-folder"));
    });
    expect(newestBackup(path)).toEqual({ path: join(path, "a-newest"), broken: [] });
  });

  test("a broken file that is older than it is of no matter, a newer one is named", () => {
    const path = changed((into) => truncateSync(join(into, "b-older"), 9_000));
    utimesSync(join(path, "b-older"), 1, 1);
    expect(newestBackup(path).broken).toStrictEqual([]);
    utimesSync(join(path, "b-older"), new Date(), new Date(Date.now() + HOUR_MS));
    expect(newestBackup(path).broken).toHaveLength(1);
  });
});

// Everything below a folder: each file with its mode and what it holds.

function treeOf(path: string): Readonly<Record<string, string>> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const at = join(entry.parentPath, entry.name);
      const held = entry.isFile() ? sha256Hex(readFileSync(at)) : "";
      return [at, `${statSync(at).mode.toString(8)} ${held}`] as const;
    }),
  );
}
