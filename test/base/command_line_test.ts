import { expect, test } from "bun:test";
import {
  asksHelp,
  commandWord,
  HELP_WIDTH,
  helpText,
  readWords,
  type Syntax,
  terminalJson,
} from "../../src/base/command_line.ts";

const SYNTAX = {
  takes: ["<id>"],
  options: {
    url: { value: "<address>", says: "the address" },
    family: { value: "<name>=<storage>", many: true, says: "a family" },
    force: { says: "whatever is there" },
  },
} as const satisfies Syntax;

const read = (words: string) => readWords(SYNTAX, words.split(" "));
const fault = (words: string) => {
  const found = read(words);
  return found.ok ? "" : found.fault;
};

test("arguments and options are read in any order; a value stands after its option or behind =", () => {
  expect(read("--force a --url=x=y --family n=1 --family n=2")).toEqual({
    ok: true,
    given: { args: ["a"], options: { force: true, url: "x=y", family: ["n=1", "n=2"] } },
  });
  expect(read("-- --url")).toEqual({ ok: true, given: { args: ["--url"], options: {} } });
  expect(read("--url - -")).toEqual({ ok: true, given: { args: ["-"], options: { url: "-" } } });
});

test("a word as long as a file is named by its beginning", () => {
  const said = fault(`a --${"x".repeat(120_000)}`) ?? "";
  expect(said).toStartWith('there is no option "--xxx');
  expect(said.length).toBeLessThan(250);
});

test("help is asked for wherever it stands, but not as what follows a --", () => {
  expect(asksHelp(["a", "--url", "--help"])).toBe(true);
  expect(asksHelp(["-h"])).toBe(true);
  expect(asksHelp(["a", "--", "--help"])).toBe(false);
});

test("the help is made of the same table, in 80 columns", () => {
  const help = helpText("tower", {
    ...SYNTAX,
    name: "asset add",
    about: ["Adds a site. ".repeat(20).trim()],
  });
  expect(help).toStartWith("Usage: tower asset add <id> [--url <address>] [--family <name>=<storage>]…\n");
  for (const option of Object.values(SYNTAX.options)) expect(help).toContain(option.says);
  expect(help.split("\n").filter((line) => line.length > HELP_WIDTH)).toStrictEqual([]);
});

test("a document for a terminal is JSON without what a terminal obeys", () => {
  expect(terminalJson({ a: "\u009b31m\u{e0001}" })).toBe('{"a":"\\u009b31m\\udb40\\udc01"}');
});

test("a command to copy runs where Tower was started through npx and no shell finds Bun", () => {
  expect(commandWord("/home/ada/.npm/_npx/7d2fe39c03b1fcc1/node_modules/@oven/bun-linux-x64/bin/bun")).toBe(
    `npx -y bun@${Bun.version} run tower`,
  );
  for (const bun of ["/usr/local/bin/bun", "/home/ada/.bun/bin/bun", "/home/ada/my_npx/bun"]) {
    expect(commandWord(bun)).toBe("bun run tower");
  }
});
