/** What the command line answers by its exit code, as scripts read it: 0 done, 1 not done, 2 not understood. */
import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd } from "../support/service.ts";

test.each([
  ["a command that there is not", ["nope"], {}, 2, "tower has no command nope"],
  ["half a command", ["token"], {}, 2, "tower token is not whole: token issue"],
  ["an argument to serve", ["serve", "now"], {}, 2, "Usage: tower serve"],
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
])("%p is answered on standard output with 0", async (args) => {
  const { code, out, err } = await runToEnd("cli.ts", args, {});
  expect([code, err]).toEqual([0, ""]);
  expect(out).toStartWith("Usage: tower");
});
