/** What the command line answers by its exit code, as scripts read it: 0 done, 1 not done, 2 not understood. */

import { expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { restore } from "../../src/app/backups.ts";
import { helpOf } from "../../src/app/command.ts";
import { COMMANDS } from "../../src/app/commands.ts";
import { actionWrite } from "../../src/app/run_command.ts";
import { HELP_WIDTH } from "../../src/base/command_line.ts";
import { HELP as MEASURE_HELP } from "../../src/measure/arguments.ts";
import { takeDataLock } from "../../src/store/lock.ts";
import { openFolder } from "../support/data_folder.ts";
import { manualPage } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd } from "../support/service.ts";
import { texts } from "../support/words.ts";
import { answered } from "./run.ts";

test("what is not understood ends with 2 and what is not done with 1, said on standard error alone: recorded", async () => {
  using folder = temporaryFolder();
  const settings = { DATA_DIR: folder.path };
  const told: Record<string, string> = {};
  for (const line of texts(
    "nope|token|tokn issue|serve now|operator add|restore nowhere|TOWER_PORT check|TOWER_PORT restore x",
  )) {
    const given = line.split(" ").filter((word) => word !== "TOWER_PORT");
    const isSet = line.startsWith("TOWER_PORT");
    const { code, out, err } = await answered(given, isSet ? { ...settings, TOWER_PORT: "x" } : settings);
    expect(out).toBe("");
    told[line] = `${code}: ${err.split("\n")[0]?.replaceAll(process.cwd(), "<here>")}`;
  }
  expect(told).toMatchSnapshot();
});

test("a check that finds a fault ends with 1", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "tower.db"), "no database at all");
  const { code, out } = await answered(["check"], { DATA_DIR: folder.path });
  expect(code).toBe(1);
  expect(out).toContain("FAULT   database file");
});

/** One that only reads, one that asks for a password, a list, and a job; the others are held back by the same line. */
const HELD_BACK = [
  ["backup", "x"],
  ["operator", "reset", "x"],
  ["asset", "list"],
  ["job", "run", "heartbeat"],
];

test("where there is no data every command that sets nothing up is refused, and makes nothing", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "misspelt");
  const settingUp = COMMANDS.filter(({ setsUp }) => setsUp === true).map(({ name }) => name);
  const [, said = ""] = /^Only (.*?) create data\./m.exec(manualPage("operating")) ?? [];
  expect(said.match(/`[^`]+`/g)?.toString()).toBe(
    ["serve", "restore", ...settingUp].map((name) => `\`${name}\``).join(),
  );
  for (const words of HELD_BACK) {
    const name = COMMANDS.find((known) => words.join(" ").startsWith(known.name))?.name ?? "";
    const { code, out, err } = await answered(words, { DATA_DIR: dataDir });
    expect({ name, code, out, err }).toEqual({
      name,
      code: 1,
      out: "",
      err: `tower ${name}: DATA_DIR is ${dataDir}, which holds no data of Tower (no tower.db): set it to the folder that does\n`,
    });
    expect(existsSync(dataDir)).toBe(false);
  }
});

test("commands that are called at once where no service runs follow one another, and one of them begins the data", async () => {
  using folder = temporaryFolder();
  const settings = { DATA_DIR: join(folder.path, "data") };
  const sites = ["shop", "yard"];
  const ended = await Promise.all(sites.map((site) => runToEnd("cli.ts", ["asset", "add", site], settings)));
  expect(ended.map(({ code, err }) => [code, err.includes("was added")])).toEqual(sites.map(() => [0, true]));
  const begun = `A new installation was begun in ${settings.DATA_DIR}.\n`;
  expect(ended.filter(({ err }) => err.startsWith(begun))).toHaveLength(1);
  expect(ended.filter(({ err }) => err.includes("begun"))).toHaveLength(1);
  const { out } = await answered(["asset", "list"], settings);
  for (const site of sites) expect(out).toContain(site);
});

test("a command says when its turn does not come", async () => {
  using folder = temporaryFolder();
  (await openFolder(folder.path)).close();
  const lock = takeDataLock(folder.path);
  const { code, err } = await answered(["asset", "list"], { DATA_DIR: folder.path });
  lock?.release();
  expect([code, err]).toEqual([
    1,
    `tower: another Tower process is using ${folder.path}, and it does not answer on its control socket\n`,
  ]);
});

test("where only the database is gone, a command says what became of it", async () => {
  using folder = temporaryFolder();
  const settings = { DATA_DIR: folder.path };
  (await openFolder(folder.path)).close();
  for (const name of ["tower.db", "tower.db-wal", "tower.db-shm"])
    rmSync(join(folder.path, name), { force: true });
  const { code, err } = await answered(["check"], settings);
  expect(code).toBe(1);
  expect(err).toStartWith(
    `tower: ${folder.path}/tower.db is missing, but constants.toml and credentials.key beside it say`,
  );
});

test("help is answered on standard output with 0, recorded", async () => {
  for (const line of texts(
    "|--help|restore --help|help token issue|--help asset|asset add shop --url --help",
  )) {
    const { code, out, err } = await answered(line.split(" ").filter((word) => word !== ""));
    expect([code, err, out.startsWith("Usage: tower")]).toEqual([0, "", true]);
    expect(out).toMatchSnapshot(line);
  }
});

test("a ledger's file is read whole where it is larger than a credential's may be", async () => {
  using folder = temporaryFolder();
  const DATA_DIR = join(folder.path, "data");
  (await openFolder(DATA_DIR)).close();
  const path = join(folder.path, "costs.csv");
  const rows = Array.from({ length: 2_000 }, (_, at) => `external_api,search,2026-01,1250,EUR,a-row-${at}`);
  writeFileSync(path, ["kind,source,period,amount,currency,ref", ...rows].join("\n"));
  const { code, out } = await answered(["ledger", "import", "costs", path, "--dry-run"], { DATA_DIR });
  expect([code, out]).toEqual([0, '{"stored":2000,"replayed":0,"corrected":0}\n']);
});

test("every command's help names its words and stays within 80 columns, as the overview does", () => {
  for (const command of [...COMMANDS, actionWrite, restore]) {
    const help = helpOf(command);
    expect(help).toStartWith(`Usage: tower ${command.name}`);
    expect([command.name, help.split("\n").filter((line) => line.length > HELP_WIDTH)]).toEqual([
      command.name,
      [],
    ]);
    expect(command.summary.length + 20).toBeLessThan(HELP_WIDTH);
  }
  expect(MEASURE_HELP.split("\n").filter((line) => line.length > HELP_WIDTH)).toStrictEqual([]);
});

test("a process answers as well: with the version of package.json, and by its exit code", async () => {
  expect(await runToEnd("cli.ts", ["--version"], {})).toEqual({
    code: 0,
    out: `tower ${version}\n`,
    err: "",
  });
  const refused = await runToEnd("cli.ts", ["nope"], {});
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain("tower has no command nope");
});
