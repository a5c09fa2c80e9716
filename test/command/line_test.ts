/** What the command line answers by its exit code, as scripts read it: 0 done, 1 not done, 2 not understood. */
import { expect, test } from "bun:test";
import { version } from "../../package.json";
import { helpOf } from "../../src/command/contract.ts";
import { actionWrite, COMMANDS, restore } from "../../src/command/mod.ts";
import { HELP_WIDTH } from "../../src/lib/command_help.ts";
import { HELP as MEASURE_HELP } from "../../src/measure/arguments.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd } from "../support/service.ts";

test.each([
  ["a command that there is not", ["nope"], {}, 2, "tower has no command nope"],
  ["half a command", ["token"], {}, 2, "tower token is not whole: token issue"],
  ["a command with a slip", ["tokn", "issue"], {}, 2, "did you mean token issue?"],
  ["an argument to serve", ["serve", "now"], {}, 2, "tower serve: now is too much"],
  ["an operator without a name", ["operator", "add"], {}, 2, "tower operator add: <name> is missing"],
  ["a setting that is none", ["check"], { TOWER_PORT: "x" }, 2, "TOWER_PORT"],
  ["a setting that is none, restoring", ["restore", "x"], { TOWER_PORT: "x" }, 2, "TOWER_PORT"],
  ["a file that is not there", ["restore", "nowhere"], {}, 1, "there is no file"],
] as const)("%s", async (_, args, settings, code, words) => {
  using folder = temporaryFolder();
  const ended = await runToEnd("cli.ts", args, { DATA_DIR: folder.path, ...settings });
  expect([ended.code, ended.out]).toEqual([code, ""]);
  expect(ended.err).toContain(words);
});

test("a check that finds a fault ends with 1", async () => {
  using folder = temporaryFolder();
  const { code, out } = await runToEnd("cli.ts", ["check"], { DATA_DIR: folder.path });
  expect(code).toBe(1);
  expect(out).toContain("FAULT   database file");
});

test.each([
  [[]],
  [["--help"]],
  [["help"]],
  [["serve", "--help"]],
  [["check", "--help"]],
  [["restore", "--help"]],
  [["help", "token", "issue"]],
  [["--help", "asset"]],
  [["asset", "add", "shop", "--url", "--help"]],
])("%p is answered on standard output with 0", async (args) => {
  const { code, out, err } = await runToEnd("cli.ts", args, {});
  expect([code, err]).toEqual([0, ""]);
  expect(out).toStartWith("Usage: tower");
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
  expect(MEASURE_HELP.split("\n").filter((line) => line.length > HELP_WIDTH)).toEqual([]);
});

test("the version is that of package.json", async () => {
  for (const word of ["--version", "version"]) {
    expect((await runToEnd("cli.ts", [word], {})).out).toBe(`tower ${version}\n`);
  }
});
