/** Failures of writing: one line, the documented exit code, and never half a report. */

import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { whyNotWritable, writeWhole } from "../../src/measure/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { makeRepository } from "./repository.ts";

const ENTRY = join(import.meta.dir, "../../src/measure/main.ts");

/** Runs the command in a shell, `$MEASURE` standing for it; gives its exit code and what it said beside its steps. */
async function shell(script: string, folder: string, files: Record<string, string> = { "a.py": "x = 1\n" }) {
  makeRepository(join(folder, "repo"), [{ at: "2026-03-30T00:00:00Z", files }]);
  mkdirSync(join(folder, "scratch"));
  const child = Bun.spawn(["/bin/sh", "-c", script], {
    cwd: folder,
    env: {
      ASSET: "harbor",
      PATH: process.env["PATH"] ?? "",
      TMPDIR: join(folder, "scratch"),
      MEASURE: `${process.execPath} ${ENTRY} repo`,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, said: err.split("\n").filter((line) => line.startsWith("measure:")), err };
}

describe("an output that cannot be written", () => {
  test("is told before anything is measured", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    const at = (path: string) => whyNotWritable(join(folder.path, path));
    expect([at("new"), at("file"), at(""), at("nowhere/new"), at("file/new")]).toMatchSnapshot();
    const { code, out, err } = await shell("$MEASURE --out nowhere/r.json", folder.path);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe("measure: the report cannot be written to nowhere/r.json: its folder does not exist\n");
  });

  test("a disk that is full is one line and exit code 1", async () => {
    using folder = temporaryFolder();
    const { code, said } = await shell("$MEASURE --out /dev/full", folder.path);
    expect([code, said]).toEqual([
      1,
      ["measure: the report cannot be written to /dev/full: the disk is full"],
    ]);
  });

  test("a reader that left is one line and exit code 1", async () => {
    using folder = temporaryFolder();
    const { code, said } = await shell("{ $MEASURE; echo $? > code; } | true; exit $(cat code)", folder.path);
    expect([code, said]).toEqual([
      1,
      ["measure: the report cannot be written to standard output: nobody reads it any more"],
    ]);
  });

  test("standard error that is full or closed loses words, not the report", async () => {
    using folder = temporaryFolder();
    const { code, out } = await shell("$MEASURE 2>/dev/full", folder.path);
    expect([code, JSON.parse(out).asset]).toEqual([0, "harbor"]);
  });

  test("temporary files that the machine does not take end the run with one line, and are gone", async () => {
    using folder = temporaryFolder();
    const files = { "a.py": "x = 1\n".repeat(4_000) };
    const { code, out, said } = await shell("ulimit -f 16; $MEASURE", folder.path, files);
    expect([code, out, said.length]).toEqual([1, "", 1]);
    expect(said[0]).toEndWith("cannot be used: the file is larger than allowed here");
    expect(readdirSync(join(folder.path, "scratch"))).toStrictEqual([]);
  });
});

describe("a report", () => {
  test("takes the place of what is in the file that is there, through a link and with its rights", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "r.json");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    symlinkSync("r.json", join(folder.path, "link"));
    const mask = process.umask(0o077);
    const why = await writeWhole(join(folder.path, "link"), "new");
    process.umask(mask);
    expect(why).toBeUndefined();
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o640]);
    expect(readdirSync(folder.path).sort()).toEqual(["link", "r.json"]);
  });

  test("that cannot be written leaves nothing behind", async () => {
    using folder = temporaryFolder();
    expect(await writeWhole(join(folder.path, "n".repeat(300)), "new")).toBe("its name is too long");
    expect(readdirSync(folder.path)).toStrictEqual([]);
  });
});
